-- CVE-2019-6706: an upvalue that is joined with itself
local f = load(string.dump(function() return name end))
debug.upvaluejoin(f, 1, f, 1)
