-- CVE-2022-28805: a constant as _ENV
local function f()
	local _ENV <const> = 1
	return x
end
