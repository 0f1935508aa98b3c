/* What tramp.c gives besides the functions of cuda.h. */
#ifndef GRADCUE_DRIVER_H
#define GRADCUE_DRIVER_H

/* gradcue_bind loads the driver library at path, once: later calls answer NULL
   and keep the first. It answers the reason when there is none. */
const char *gradcue_bind(const char *path);

/* gradcue_symbol looks a name up in the bound library, NULL when it is not there. */
void *gradcue_symbol(const char *name);

#endif
