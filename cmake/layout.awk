# Reads `diff FILE FORMATTED` and prints it without the hunks in which clang-format 14 is wrong:
# - it breaks designated initialisers, chained conditions and inline assembly into a line for each
#   part; so a hunk that only adds line breaks is dropped, unless a line was too wide (strings may be),
# - in the arguments of a macro it takes a pointer for a product.
function squeeze(text) { gsub(/[ \t\n\\]/, "", text); return text }

function finish() {
    if (head == "") return
    if (!(squeeze(old) == squeeze(new) && new_lines > old_lines && !wide) && !(pointers(old) == pointers(new))) print whole
    head = ""
}

function pointers(text) { gsub(/ \* /, " *", text); return text }

function columns(line) { gsub(/"([^"\\]|\\.)*"/, "\"\"", line); return length(line) - 2 }

/^[0-9]/ { finish(); head = $0; whole = $0; old = new = ""; old_lines = new_lines = wide = 0; next }
{ whole = whole "\n" $0 }
/^</ { old = old substr($0, 3) "\n"; old_lines++; if (columns($0) > 100) wide = 1 }
/^>/ { new = new substr($0, 3) "\n"; new_lines++ }
END { finish() }
