-- CVE-2020-24370: no such number can be negated
debug.getlocal(1, -2147483648)
