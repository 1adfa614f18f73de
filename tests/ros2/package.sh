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
# CMake configures the package; stand-ins of ament and of the packages have no more than what it names
command -v cmake > /dev/null || exit $failed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in $xml ament_cmake; do
  mkdir -p "$work/$package"
  echo "set(${package}_FOUND TRUE)" > "$work/$package/${package}Config.cmake"
  case $package in
    nav*) echo "add_library($package::$package INTERFACE IMPORTED)" >> "$work/$package/${package}Config.cmake" ;;
    geometry_msgs) echo "add_library(g INTERFACE IMPORTED)
set(geometry_msgs_TARGETS g)" >> "$work/$package/${package}Config.cmake" ;;
    ament_cmake) echo 'macro(ament_export_targets)
endmacro()
macro(ament_export_dependencies)
endmacro()
macro(ament_package)
endmacro()' >> "$work/$package/${package}Config.cmake" ;;
    pluginlib) echo 'macro(pluginlib_export_plugin_description_file base file)
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    message(FATAL_ERROR "no ${file}")
  endif()
endmacro()' >> "$work/$package/${package}Config.cmake" ;;
  esac
done
mkdir -p "$work/heddle"
echo 'add_library(heddle::mppi INTERFACE IMPORTED)' > "$work/heddle/heddle-config.cmake"
cmake -G Ninja -S "$folder" -B "$work/build" -DCMAKE_PREFIX_PATH="$work" > "$work/log" 2>&1 || { cat "$work/log"; complain "cmake does not configure it"; }
exit $failed
