// Modules are PTX. Their text is read for the entry points, the sizes of the
// parameters and the greatest block; what runs is the host build of the same
// source, and a module is refused when the two disagree.
#include "capture.h"
#include "context.h"
#include "executor.h"
#include "memory.h"
#include "options.h"
#include "stream.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace sim;

struct CUfunc_st {
	const Kernel* kernel;
	std::vector<size_t> params; // bytes of each
	unsigned most_threads = 1024;
	unsigned most_shared = 48 << 10;
	bool loaded = false; // a driver may load a kernel when it is first used
};

struct CUmod_st {
	std::map<std::string, CUfunc_st> functions;
	size_t reserved = 0;
};

namespace {

const Kernel* find(const std::string& name) {
	for (const Kernel* k = Kernel::first; k; k = k->next)
		if (name == k->name) return k;
	return nullptr;
}

// param_bytes reads ".param .u64 name" and ".param .align 8 .b8 name[16]".
size_t param_bytes(const std::string& declaration) {
	size_t bytes = declaration.find(".b8 ");
	if (bytes != std::string::npos) {
		size_t open = declaration.find('[', bytes);
		return open == std::string::npos ? 1 : strtoul(declaration.c_str() + open + 1, nullptr, 10);
	}
	for (const char* type : {".u64", ".s64", ".b64", ".f64"})
		if (declaration.find(type) != std::string::npos) return 8;
	for (const char* type : {".u32", ".s32", ".b32", ".f32"})
		if (declaration.find(type) != std::string::npos) return 4;
	for (const char* type : {".u16", ".s16", ".b16"})
		if (declaration.find(type) != std::string::npos) return 2;
	return 1;
}

CUfunc_st read_entry(const std::string& params, const std::string& directives) {
	CUfunc_st f{};
	for (size_t at = 0; (at = params.find(".param ", at)) != std::string::npos;) {
		at += 7;
		f.params.push_back(param_bytes(params.substr(at, params.find(',', at) - at)));
	}
	size_t most = directives.find(".maxntid ");
	if (most != std::string::npos) f.most_threads = unsigned(strtoul(directives.c_str() + most + 9, nullptr, 10));
	return f;
}

// number_after reads "7.0" with scale 10 as 70, and "80" with scale 1 as 80; 0 when
// the text before it is not there.
unsigned number_after(const std::string& s, const std::string& before, int scale) {
	size_t at = s.find(before);
	return at == std::string::npos ? 0 : unsigned(strtod(s.c_str() + at + before.size(), nullptr) * scale + 0.5);
}

CUresult refuse(const std::string& why) {
	fprintf(stderr, "cuda-sim: %s\n", why.c_str());
	return CUDA_ERROR_INVALID_IMAGE;
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* m, const void* image) {
	if (CUresult r = ready()) return r;
	if (CUresult r = unsafe()) return r;
	std::string s = static_cast<const char*>(image);
	if (s.find(".version ") == std::string::npos || s.find(".target ") == std::string::npos) return refuse("the image is no PTX");
	if (number_after(s, ".version ", 10) > options.ptx) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	if (number_after(s, ".target sm_", 1) > options.capability) return CUDA_ERROR_NO_BINARY_FOR_GPU;
	auto module = std::make_unique<CUmod_st>();
	for (size_t at = 0; (at = s.find(".entry ", at)) != std::string::npos;) {
		at += 7;
		size_t open = s.find('(', at), close = s.find(')', open), body = s.find('{', close);
		if (body == std::string::npos) return refuse("an entry has no body");
		std::string name = s.substr(at, open - at);
		while (!name.empty() && isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
		CUfunc_st f = read_entry(s.substr(open, close - open), s.substr(close, body - close));
		f.kernel = find(name);
		if (!f.kernel) return refuse("the PTX has the entry " + name + ", this library has not: rebuild it");
		if (size_t(f.kernel->params) != f.params.size())
			return refuse("the entry " + name + " has " + std::to_string(f.params.size()) + " parameters in the PTX and " + std::to_string(f.kernel->params) + " in this library");
		module->functions[name] = f;
		at = body;
	}
	if (CUresult r = reserve(s.size())) return r;
	module->reserved = s.size();
	*m = module.release();
	return CUDA_SUCCESS;
}

// What is wrong with the text goes into the buffer for it, as far as there is room.
CUresult cuModuleLoadDataEx(CUmodule* m, const void* image, unsigned int n, CUjit_option* options, void** values) {
	CUresult r = cuModuleLoadData(m, image);
	char* log = nullptr;
	size_t room = 0;
	for (unsigned int i = 0; i < n; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) room = size_t(values[i]);
	}
	if (r == CUDA_ERROR_NO_BINARY_FOR_GPU && log && room) snprintf(log, room, "the simulated device has compute capability %u\n", sim::options.capability);
	return r;
}

CUresult cuModuleUnload(CUmodule m) {
	if (CUresult r = cuCtxSynchronize()) return r;
	unreserve(m->reserved);
	delete m;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
	if (CUresult r = ready()) return r;
	auto i = m->functions.find(name);
	if (i == m->functions.end()) return CUDA_ERROR_NOT_FOUND;
	*f = &i->second;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int value) {
	if (CUresult r = ready()) return r;
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
	int most = 0;
	cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0);
	if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
	f->most_shared = unsigned(value);
	return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute a, CUfunction f) {
	if (CUresult r = ready()) return r;
	f->loaded = f->loaded || options.lazy < 2;
	*value = a == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? int(f->most_threads) : a == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? int(f->most_shared) : 0;
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                        CUstream stream, void** params, void** extra) {
	if (CUresult r = ready()) return r;
	bool grid = gx && gy && gz && gx <= 0x7fffffffu && gy <= 65535 && gz <= 65535;
	bool block = bx && by && bz && bz <= 64 && uint64_t(bx) * by * bz <= f->most_threads;
	if (!grid || !block || shared > f->most_shared || extra) return CUDA_ERROR_INVALID_VALUE;
	if (!f->loaded && capturing(stream)) { // loading it is not allowed now
		spoil(stream);
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	f->loaded = true;
	// The values are taken now, as the real driver does.
	auto values = std::make_shared<std::vector<uint64_t>>();
	auto starts = std::make_shared<std::vector<size_t>>();
	for (size_t i = 0; i < f->params.size(); i++) {
		starts->push_back(values->size());
		values->resize(values->size() + (f->params[i] + 7) / 8);
		memcpy(&(*values)[starts->back()], params[i], f->params[i]);
	}
	return later(stream, [=](uint32_t op) {
		std::vector<void*> at;
		for (size_t start : *starts) at.push_back(&(*values)[start]);
		std::string wrong = run({f->kernel, {gx, gy, gz}, {bx, by, bz}, shared, at.data(), op});
		if (!wrong.empty()) stuck(CUDA_ERROR_ILLEGAL_ADDRESS, wrong);
	});
}

} // extern "C"
