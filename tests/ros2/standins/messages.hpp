// Stand-ins for the messages of ROS 2 that the controller plugin uses: plain structs with their public fields, written
// from the interface definitions. They only let the plugin's own source be compiled and run in tests without ROS.
#ifndef HEDDLE_STANDINS_MESSAGES_HPP
#define HEDDLE_STANDINS_MESSAGES_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace builtin_interfaces::msg { struct Time { int32_t sec = 0; uint32_t nanosec = 0; }; }
namespace std_msgs::msg {
struct Header { builtin_interfaces::msg::Time stamp; std::string frame_id; };
struct ColorRGBA { float r = 0, g = 0, b = 0, a = 0; };
}
namespace geometry_msgs::msg {
struct Point { double x = 0, y = 0, z = 0; };
struct Vector3 { double x = 0, y = 0, z = 0; };
struct Quaternion { double x = 0, y = 0, z = 0, w = 1; };
struct Pose { Point position; Quaternion orientation; };
struct PoseStamped { std_msgs::msg::Header header; Pose pose; };
struct Twist { Vector3 linear, angular; };
struct TwistStamped { std_msgs::msg::Header header; Twist twist; };
struct Transform { Vector3 translation; Quaternion rotation; };
struct TransformStamped { std_msgs::msg::Header header; std::string child_frame_id; Transform transform; };
}
namespace nav_msgs::msg { struct Path { std_msgs::msg::Header header; std::vector<geometry_msgs::msg::PoseStamped> poses; }; }
namespace visualization_msgs::msg {
struct Marker {
  enum { LINE_STRIP = 4, ADD = 0 };
  std_msgs::msg::Header header;
  std::string ns;
  int32_t id = 0, type = 0, action = 0;
  geometry_msgs::msg::Pose pose;
  geometry_msgs::msg::Vector3 scale;
  std_msgs::msg::ColorRGBA color;
  std::vector<geometry_msgs::msg::Point> points;
};
struct MarkerArray { std::vector<Marker> markers; };
}
namespace nav2_msgs::msg {
struct CriticsStats {
  builtin_interfaces::msg::Time stamp;
  std::vector<std::string> critics;
  std::vector<bool> changed;
  std::vector<float> costs_sum;
};
}
namespace rcl_interfaces::msg {
struct SetParametersResult { bool successful = false; std::string reason; };
struct ParameterDescriptor { bool dynamic_typing = false; };
}

#endif
