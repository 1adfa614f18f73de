# Checks every #include, every symbol that one object takes from another, and a few words that have one home, against the
# two tables of ARCHITECTURE.md.
#
#     awk -v root=FOLDER -f include_rule.awk ARCHITECTURE.md FILE...      FILEs below the root
#
# A FILE called *.symbols holds what nm says of the objects of one library: lines "SOURCE TYPE NAME", SOURCE relative to
# the root. What a file may include it may also call, and nothing else of the library; src/heddle.c, which puts
# the library together, stands outside: it may use all of it, and all of it may use what that file defines.
#
# Prints one line for each violation; the exit code is 1 if there was one. POSIX awk, since every Debian has one.
BEGIN { FS = "|" }

# ---- the tables: rows between <!-- include-rule --> or <!-- one-home --> and the next <!-- end --> ----

FILENAME != previous {
    previous = FILENAME; number = 0; in_comment = 0; symbols = FILENAME ~ /\.symbols$/
    if (symbols) check_symbols()
    else if (FILENAME != ARGV[1]) begin_file()
}
{ number++ }
FILENAME == ARGV[1] && /<!-- include-rule -->/ { table = "rule"; next }
FILENAME == ARGV[1] && /<!-- one-home -->/ { table = "home"; next }
FILENAME == ARGV[1] && /<!-- end -->/ { table = ""; next }
FILENAME == ARGV[1] && table != "" && /^\|.*`/ {
    left = $2; right = $3
    gsub(/[` ]/, "", left); gsub(/[` ]/, "", right)
    if (table == "rule") {
        rules++
        row_of[rules] = left
        allowed[rules] = right
    } else {
        words = split(left, word, ",")
        for (w = 1; w <= words; w++) home[word[w]] = right
    }
    next
}
FILENAME == ARGV[1] { next }
symbols {
    split($0, field, " ")
    if (field[2] ~ /[Uvw]/) { users++; user[users] = field[1]; used[users] = field[3] }
    else defined_in[field[3]] = field[1]
    next
}

# ---- files ----

# `folder` is the part of `path` that `pattern` names ("engines/*" takes in one folder of any name), or "".
function match_folder(path, pattern,    expression) {
    expression = pattern
    gsub(/\./, "\\.", expression)
    gsub(/\*/, "[^/]+", expression)
    if (!match(path, "^" expression)) return ""
    if (RLENGTH < length(path) && substr(path, RLENGTH + 1, 1) != "/") return ""
    return substr(path, 1, RLENGTH)
}

# Whether `path` lies in one of a comma-separated list of folders or is one of its files.
function listed(path, list,    parts, count, i) {
    count = split(list, parts, ",")
    for (i = 1; i <= count; i++) if (match_folder(path, parts[i]) != "") return 1
    return 0
}

# Sets `file`, `own` and `row` to a file and the row that covers it.
function find_row(path,    i, folder) {
    file = path
    own = ""; row = 0
    for (i = 1; i <= rules; i++) {
        folder = match_folder(file, row_of[i])
        if (length(folder) > length(own)) { own = folder; row = i }
    }
    if (!row) complain("no row of the table covers this file")
}

function begin_file() { find_row(substr(FILENAME, length(root) + 2)); files++ }

# The symbols of the library that was read, before the next one.
function check_symbols(    i, other) {
    for (i = 1; i <= users; i++) {
        if (!(used[i] in defined_in) || user[i] == "src/heddle.c") continue
        other = defined_in[used[i]]
        calls++
        if (other == "src/heddle.c") continue
        find_row(user[i])
        if (match_folder(other, own) == "" && !listed(other, allowed[row]))
            complain(own " may not use " used[i] "() of " other)
    }
    users = 0
    split("", defined_in)
}

function complain(text) { printf "%s:%d: %s\n", file, number, text; bad++ }

function exists(path,    line, answer) {
    answer = (getline line < path) >= 0
    close(path)
    return answer
}

# Where "name", included by `file`, is found: beside it, in its row's folder, in its engine's, in include/, in src/, or at the top.
function resolve(name,    folder, engine, tries, i, count) {
    folder = file
    sub(/[^\/]*$/, "", folder)
    engine = match_folder(file, "engines/*")
    count = split(folder name "," own "/" name "," (engine != "" ? engine "/" : "") name ",include/" name ",src/" name "," name, tries, ",")
    for (i = 1; i <= count; i++) if (exists(root "/" tries[i])) return tries[i]
    return ""
}

# The line without comments, strings and character constants.
function code_of(line,    out, i, c, two, quote) {
    out = ""; quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (in_comment) { if (two == "*/") { in_comment = 0; i++ } }
        else if (quote != "") { if (c == "\\") i++; else if (c == quote) quote = "" }
        else if (two == "/*") { in_comment = 1; i++ }
        else if (two == "//") break
        else if (c == "\"" || c == "'") quote = c
        else out = out c
    }
    return out
}

{
    started_in_comment = in_comment
    code = code_of($0)
    if (!started_in_comment && $0 ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
        name = $0
        sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
        found = resolve(name)
        if (found == "" && name ~ /^mppi_(state|pose)_terms\.inc$/) next # the build generates it
        if (found == "") complain("#include \"" name "\": no such file")
        else if (match_folder(found, own) == "" && !listed(found, allowed[row]))
            complain(own " may not include " found)
        includes++
    }
    rest = code
    while (match(rest, /[A-Za-z_][A-Za-z_0-9]*(\.h)?/)) {
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (rest ~ /^ *\(/) found = found "()"
        if (found in home && !listed(file, home[found])) complain("`" found "` belongs in " home[found] " alone")
    }
}

END {
    check_symbols()
    if (!rules) { print "no include-rule table found"; bad++ }
    printf "%d files, %d includes, %d symbols, %d rows: %d violations\n", files, includes, calls, rules, bad
    exit bad > 0
}
