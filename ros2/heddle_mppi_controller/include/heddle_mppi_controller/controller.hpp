// Nav2's MPPI controller by Heddle as a plugin of nav2_controller: the thin shell between ROS 2's classes and core.h.
#ifndef HEDDLE_MPPI_CONTROLLER_CONTROLLER_HPP
#define HEDDLE_MPPI_CONTROLLER_CONTROLLER_HPP

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "heddle_mppi_controller/core.h"
#include "nav2_core/controller.hpp"
#include "nav2_core/goal_checker.hpp"
#include "nav2_costmap_2d/costmap_2d_ros.hpp"
#include "nav_msgs/msg/path.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "visualization_msgs/msg/marker_array.hpp"

#if __has_include("tf2_ros/buffer.hpp")
#include "tf2_ros/buffer.hpp"
#else
#include "tf2_ros/buffer.h"
#endif
// Release 1.5 (Lyrical): the server has the path handler. Before: setPlan(), and the controller prunes.
#if __has_include("nav2_core/path_handler.hpp")
#define HEDDLE_NAV2_SERVER_PRUNES 1
#include "nav2_ros_common/lifecycle_node.hpp"
#endif
// Release 1.4 (Kilted) and later.
#if __has_include("nav2_msgs/msg/critics_stats.hpp")
#define HEDDLE_NAV2_CRITICS_STATS 1
#include "nav2_msgs/msg/critics_stats.hpp"
#endif

namespace heddle_mppi_controller
{

#ifdef HEDDLE_NAV2_SERVER_PRUNES
using ParentPointer = nav2::LifecycleNode::WeakPtr;
#else
using ParentPointer = rclcpp_lifecycle::LifecycleNode::WeakPtr;
#endif

template<typename Message>
using Publisher = std::shared_ptr<rclcpp_lifecycle::LifecyclePublisher<Message>>;

// No function says "override": reset() is virtual from release 1.2 on, cancel() from 1.3.
class Controller : public nav2_core::Controller
{
public:
  ~Controller();
  void configure(
    const ParentPointer & parent, std::string name, std::shared_ptr<tf2_ros::Buffer> tf,
    std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap_ros);
  void cleanup();
  void activate();
  void deactivate();
  void setSpeedLimit(const double & speed_limit, const bool & percentage);
  void reset();
  bool cancel();

#ifdef HEDDLE_NAV2_SERVER_PRUNES
  void newPathReceived(const nav_msgs::msg::Path & path);
  geometry_msgs::msg::TwistStamped computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity,
    nav2_core::GoalChecker * goal_checker, const nav_msgs::msg::Path & pruned_path,
    const geometry_msgs::msg::PoseStamped & goal);
#else
  void setPlan(const nav_msgs::msg::Path & path);
  geometry_msgs::msg::TwistStamped computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity,
    nav2_core::GoalChecker * goal_checker);
#endif

private:
  using Node = rclcpp_lifecycle::LifecycleNode;

  std::vector<std::pair<std::string, std::string>> parameterTexts(Node & node) const;
  void declareParameters(Node & node);
  void createPublishers(Node & node);
  rcl_interfaces::msg::SetParametersResult changeParameters(
    const std::vector<rclcpp::Parameter> & parameters);
  void takeCostmap(nav2_core::GoalChecker * goal_checker);
  hed_nav2_pose lookUpFrame(const std::string & frame, const builtin_interfaces::msg::Time & stamp) const;
  geometry_msgs::msg::TwistStamped compute(
    const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity,
    mppi_core_cycle & cycle, nav2_core::GoalChecker * goal_checker);
  void publish(const builtin_interfaces::msg::Time & stamp);
  void publishCandidates(const std_msgs::msg::Header & header);
  void publishPlan(const std_msgs::msg::Header & header);
  void publishCosts(const builtin_interfaces::msg::Time & stamp);

  std::string name_;
  std::weak_ptr<Node> parent_;
  std::shared_ptr<tf2_ros::Buffer> tf_;
  std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap_ros_;
  mppi_core * core_ = nullptr;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr parameters_callback_;
  double transform_tolerance_ = 0.1;
  std::atomic<bool> visualize_{false};
  std::string device_;
  int candidate_stride_ = 5, pose_stride_ = 3;
  std::mutex frame_lock_;
  std::string path_frame_;  // guarded by frame_lock_
  Publisher<visualization_msgs::msg::MarkerArray> candidates_;
  Publisher<nav_msgs::msg::Path> plan_;
#ifdef HEDDLE_NAV2_CRITICS_STATS
  Publisher<nav2_msgs::msg::CriticsStats> costs_;
#endif
};

}  // namespace heddle_mppi_controller

#endif
