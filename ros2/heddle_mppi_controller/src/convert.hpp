// Messages and parameters of ROS 2 as the plain values of the core.
#ifndef HEDDLE_MPPI_CONTROLLER_CONVERT_HPP
#define HEDDLE_MPPI_CONTROLLER_CONVERT_HPP

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "geometry_msgs/msg/pose.hpp"
#include "heddle_mppi_controller/core.h"
#include "nav_msgs/msg/path.hpp"
#include "rclcpp/rclcpp.hpp"

namespace heddle_mppi_controller
{

inline double yawOf(double x, double y, double z, double w)
{
  return std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

inline hed_nav2_pose poseOf(const geometry_msgs::msg::Pose & pose)
{
  const auto & q = pose.orientation;
  return {pose.position.x, pose.position.y, yawOf(q.x, q.y, q.z, q.w)};
}

inline geometry_msgs::msg::Pose messageOf(const hed_nav2_pose & pose)
{
  geometry_msgs::msg::Pose message;
  message.position.x = pose.x;
  message.position.y = pose.y;
  message.orientation.z = std::sin(0.5 * pose.yaw);
  message.orientation.w = std::cos(0.5 * pose.yaw);
  return message;
}

inline std::vector<hed_nav2_pose> posesOf(const nav_msgs::msg::Path & path)
{
  std::vector<hed_nav2_pose> poses;
  poses.reserve(path.poses.size());
  for (const auto & pose : path.poses) {poses.push_back(poseOf(pose.pose));}
  return poses;
}

// A text in YAML's double quotes.
inline std::string quoted(const std::string & text)
{
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {result += '\\';}
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

// A number with a point or an exponent, so that it stays one of ROS's doubles.
inline std::string textOf(double value)
{
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string result = text;
  return result.find_first_of(".eEn") == std::string::npos ? result + ".0" : result;
}
inline std::string textOf(int64_t value) {return std::to_string(value);}
inline std::string textOf(bool value) {return value ? "true" : "false";}
inline std::string textOf(const std::string & value) {return quoted(value);}

template<typename Item>
std::string textOf(const std::vector<Item> & list)
{
  std::string result = "[";
  for (size_t i = 0; i < list.size(); i++) {
    result += (i ? ", " : "") + textOf(static_cast<Item>(list[i]));
  }
  return result + "]";
}

// A value as a YAML file has it.
inline std::string textOf(const rclcpp::ParameterValue & value)
{
  switch (value.get_type()) {
    case rclcpp::ParameterType::PARAMETER_BOOL: return textOf(value.get<bool>());
    case rclcpp::ParameterType::PARAMETER_INTEGER: return textOf(value.get<int64_t>());
    case rclcpp::ParameterType::PARAMETER_DOUBLE: return textOf(value.get<double>());
    case rclcpp::ParameterType::PARAMETER_STRING: return textOf(value.get<std::string>());
    case rclcpp::ParameterType::PARAMETER_BOOL_ARRAY: return textOf(value.get<std::vector<bool>>());
    case rclcpp::ParameterType::PARAMETER_INTEGER_ARRAY:
      return textOf(value.get<std::vector<int64_t>>());
    case rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY:
      return textOf(value.get<std::vector<double>>());
    case rclcpp::ParameterType::PARAMETER_STRING_ARRAY:
      return textOf(value.get<std::vector<std::string>>());
    default: return "\"\"";
  }
}

}  // namespace heddle_mppi_controller

#endif
