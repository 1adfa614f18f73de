# Calls of every public function that takes a hed_error, as C: read by sticky_test.c.
#     awk -f sticky.awk include/heddle/*.h
# What ends something, and what runs in real time, always acts.
{
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
}
/^HED_API / { text = "" ; reading = 1 }
reading { text = text " " $0 }
reading && /;/ {
    reading = 0
    gsub(/[ \t]+/, " ", text)
    open = index(text, "(")
    name = substr(text, 1, open - 1)
    sub(/.*[ *]/, "", name)
    if (text !~ /HED_API hed_status .*hed_error \*[a-z]+\);/ || name ~ /_(destroy|close|end|process|unmap|gl_release|resident_stop)$/) next
    calls = ""; argument = ""; depth = 0
    for (i = open + 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if ((c == "," && depth == 0) || (c == ")" && depth == 0)) {
            calls = calls (calls == "" ? "" : ", ") value(argument)
            argument = ""
            if (c == ")") break
            continue
        }
        if (c == "(") depth++
        if (c == ")") depth--
        argument = argument c
    }
    printf "CALL(%s, (%s))\n", name, calls
}
function value(argument) {
    if (argument ~ /^ *hed_error \*/) return "&error"
    if (argument ~ /[*[(]/) return "NULL"
    sub(/ *[a-z_0-9]+ *$/, "", argument)
    sub(/^ */, "", argument)
    return "(" argument "){0}"
}
