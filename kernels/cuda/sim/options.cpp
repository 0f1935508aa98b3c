#include "options.h"

#include <cstdlib>
#include <sstream>

namespace sim {

Options options;

static bool number(const std::string& s, unsigned long long& n) {
	char* end = nullptr;
	n = strtoull(s.c_str(), &end, 10);
	return !s.empty() && *end == '\0';
}

static std::string set(Options& o, const std::string& key, const std::string& value) {
	if (key == "order") {
		if (value == "forward") o.order = Order::forward;
		else if (value == "reverse") o.order = Order::reverse;
		else if (value == "random") o.order = Order::random;
		else return "order is forward, reverse or random, not " + value;
		return "";
	}
	unsigned long long n = 0;
	if (!number(value, n)) return key + " is a number, not '" + value + "'";
	if (key == "seed") o.seed = unsigned(n);
	else if (key == "delay") o.delay_us = unsigned(n);
	else if (key == "memory") o.memory = n;
	else if (key == "pinned") o.pinned = n;
	else if (key == "capability") o.capability = unsigned(n);
	else if (key == "ptx") o.ptx = unsigned(n);
	else if (key == "lazy") o.lazy = unsigned(n);
	else if (key == "graphs") o.graphs = n != 0;
	else if (key == "fail") o.fail = n;
	else if (key == "fault") o.fault = n;
	else return "unknown key " + key + "; the keys are order, seed, delay, memory, pinned, capability, ptx, lazy, graphs, fail, fault";
	return "";
}

std::string parse_options(const char* text, Options& o) {
	std::istringstream items(text ? text : "");
	for (std::string item; std::getline(items, item, ',');) {
		size_t eq = item.find('=');
		if (eq == std::string::npos) return "'" + item + "' is not key=value";
		std::string wrong = set(o, item.substr(0, eq), item.substr(eq + 1));
		if (!wrong.empty()) return wrong;
	}
	return "";
}

} // namespace sim
