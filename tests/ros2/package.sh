#!/bin/sh
# sh package.sh FOLDER: package.xml, CMakeLists.txt and the plugin's description agree with one another and with the sources.
folder=$1
failed=0
complain() { echo "$folder: $1"; failed=1; }
if command -v xmllint > /dev/null; then
  for file in "$folder"/*.xml; do xmllint --noout "$file" || failed=1; done
fi
name=$(sed -n 's|.*<name>\(.*\)</name>.*|\1|p' "$folder/package.xml")
grep -q "^project($name " "$folder/CMakeLists.txt" || complain "project() is not $name"
grep -q "library path=\"$name\"" "$folder/$name.xml" || complain "the description has another library than $name"
type=$(sed -n 's/.* type="\([^"]*\)".*/\1/p' "$folder/$name.xml")
grep -q "^PLUGINLIB_EXPORT_CLASS($type, nav2_core::Controller)" "$folder/src/controller.cpp" || complain "$type is not exported"
grep -q "plugin=\"\${prefix}/$name.xml\"" "$folder/package.xml" || complain "package.xml does not export $name.xml"
# every package that CMake needs is in package.xml, and the other way round
cmake=$(sed -n '/^set(dependencies/,/)/p' "$folder/CMakeLists.txt" | sed 's|^set(dependencies||; s|)||' | tr -s ' ' '\n' | grep . | sort)
xml=$(sed -n 's|.*<depend>\(.*\)</depend>.*|\1|p' "$folder/package.xml" | sort)
[ "$cmake" = "$xml" ] || complain "dependencies differ: CMakeLists.txt has $(echo $cmake), package.xml $(echo $xml)"
# every package of an #include is one of them
for package in $(cat "$folder"/src/*pp "$folder"/include/*/*pp | sed -n 's|.*#include "\([a-z0-9_]*\)/.*|\1|p' | sort -u); do
  case $package in
    heddle*) continue ;;
    nav2_ros_common) continue ;; # of some releases
  esac
  echo "$xml" | grep -qx "$package" || complain "$package is included, and not in package.xml"
done
exit $failed
