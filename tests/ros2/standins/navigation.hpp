// Stand-ins for the classes of Nav2 and tf2 that the controller plugin touches: costmap, inflation layer, transforms,
// plugin interfaces of three releases (HEDDLE_STANDINS_RELEASE: 1, 3 or 5), registration of plugins.
#ifndef HEDDLE_STANDINS_NAVIGATION_HPP
#define HEDDLE_STANDINS_NAVIGATION_HPP

#include <chrono>
#include <cmath>

#include "node.hpp"

namespace tf2 {
using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;
inline Duration durationFromSec(double seconds) {return Duration(static_cast<int64_t>(1e9 * seconds));}
struct TransformException : std::runtime_error { using std::runtime_error::runtime_error; };
}  // namespace tf2

namespace tf2_ros {
class Buffer
{
public:
  using SharedPtr = std::shared_ptr<Buffer>;
  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target, const std::string & source, const tf2::TimePoint &, const tf2::Duration &) const
  {
    auto found = transforms.find({target, source});
    if (found == transforms.end()) {throw tf2::TransformException(source + " is no frame of the tree");}
    return found->second;
  }
  std::map<std::pair<std::string, std::string>, geometry_msgs::msg::TransformStamped> transforms;
};
}  // namespace tf2_ros

namespace nav2_costmap_2d {

class Costmap2D
{
public:
  using mutex_t = std::recursive_mutex;
  unsigned int getSizeInCellsX() const {return width;}
  unsigned int getSizeInCellsY() const {return height;}
  double getResolution() const {return resolution;}
  double getOriginX() const {return x;}
  double getOriginY() const {return y;}
  unsigned char * getCharMap() const {return const_cast<unsigned char *>(cells.data());}
  mutex_t * getMutex() {return &mutex;}
  unsigned int width = 0, height = 0;
  double resolution = 0.05, x = 0, y = 0;
  std::vector<unsigned char> cells;
  mutex_t mutex;
};

struct Layer { virtual ~Layer() = default; };
struct InflationLayer : Layer {
  double getInflationRadius() {return radius;}
  double getCostScalingFactor() {return scale;}
  double radius = 0.7, scale = 3;
};

class LayeredCostmap
{
public:
  std::vector<std::shared_ptr<Layer>> * getPlugins() {return &plugins;}
  bool isTrackingUnknown() {return tracks_unknown;}
  std::vector<std::shared_ptr<Layer>> plugins{std::make_shared<Layer>(), std::make_shared<InflationLayer>()};
  bool tracks_unknown = false;
};

class Costmap2DROS
{
public:
  Costmap2D * getCostmap() {return &costmap;}
  LayeredCostmap * getLayeredCostmap() {return &layered;}
  std::string getGlobalFrameID() {return "odom";}
  std::string getBaseFrameID() {return "base_link";}
  bool getUseRadius() {return true;}
  std::vector<geometry_msgs::msg::Point> getRobotFootprint() {return footprint;}
  Costmap2D costmap;
  LayeredCostmap layered;
  std::vector<geometry_msgs::msg::Point> footprint;
};
}  // namespace nav2_costmap_2d

namespace nav2_core {

#if HEDDLE_STANDINS_RELEASE == 1
struct PlannerException : std::runtime_error { using std::runtime_error::runtime_error; };
#else
struct ControllerException : std::runtime_error { using std::runtime_error::runtime_error; };
struct ControllerTFError : ControllerException { using ControllerException::ControllerException; };
struct InvalidPath : ControllerException { using ControllerException::ControllerException; };
struct NoValidControl : ControllerException { using ControllerException::ControllerException; };
#endif

class GoalChecker
{
public:
  virtual ~GoalChecker() = default;
  virtual bool getTolerances(
    geometry_msgs::msg::Pose & pose, geometry_msgs::msg::Twist & velocity
#if HEDDLE_STANDINS_RELEASE == 5
    , double & path_length
#endif
  ) = 0;
};

class Controller
{
public:
  virtual ~Controller() = default;
#if HEDDLE_STANDINS_RELEASE == 5
  using Parent = nav2::LifecycleNode;
#else
  using Parent = rclcpp_lifecycle::LifecycleNode;
#endif
  virtual void configure(
    const Parent::WeakPtr &, std::string name, std::shared_ptr<tf2_ros::Buffer>,
    std::shared_ptr<nav2_costmap_2d::Costmap2DROS>) = 0;
  virtual void cleanup() = 0;
  virtual void activate() = 0;
  virtual void deactivate() = 0;
#if HEDDLE_STANDINS_RELEASE == 5
  virtual void newPathReceived(const nav_msgs::msg::Path & path) = 0;
  virtual geometry_msgs::msg::TwistStamped computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity, GoalChecker * checker,
    const nav_msgs::msg::Path & pruned, const geometry_msgs::msg::PoseStamped & goal) = 0;
#else
  virtual void setPlan(const nav_msgs::msg::Path & path) = 0;
  virtual geometry_msgs::msg::TwistStamped computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity, GoalChecker * checker) = 0;
#endif
#if HEDDLE_STANDINS_RELEASE > 1
  virtual bool cancel() {return true;}
  virtual void reset() {}
#endif
  virtual void setSpeedLimit(const double & limit, const bool & percentage) = 0;
};
}  // namespace nav2_core

namespace pluginlib {
// Plugins by the name of their class, as the macro of pluginlib registers them.
using Factory = std::function<std::shared_ptr<nav2_core::Controller>()>;
inline std::map<std::string, Factory> & factories() {static std::map<std::string, Factory> all; return all;}
}  // namespace pluginlib
#define PLUGINLIB_EXPORT_CLASS(type, base) \
  static const bool heddle_plugin_is_registered = \
    pluginlib::factories().emplace(#type, [] {return std::shared_ptr<base>(std::make_shared<type>());}).second;

#endif
