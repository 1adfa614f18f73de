// The controller plugin: lifecycle, parameters, frames, costmap, messages of ROS 2 around core.h.
#include "heddle_mppi_controller/controller.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "convert.hpp"
#include "nav2_costmap_2d/inflation_layer.hpp"
#if __has_include("tf2/exceptions.hpp")
#include "tf2/exceptions.hpp"
#include "tf2/time.hpp"
#else
#include "tf2/exceptions.h"
#include "tf2/time.h"
#endif
#if __has_include("nav2_core/controller_exceptions.hpp")
#include "nav2_core/controller_exceptions.hpp"
#else
#include "nav2_core/exceptions.hpp"
#endif

namespace heddle_mppi_controller {

#if __has_include("nav2_core/controller_exceptions.hpp")
using nav2_core::ControllerException;
using nav2_core::ControllerTFError;
using nav2_core::InvalidPath;
using nav2_core::NoValidControl;
#else
// Release 1.1 (Humble) has one exception for all.
using ControllerException = nav2_core::PlannerException;
using ControllerTFError = nav2_core::PlannerException;
using InvalidPath = nav2_core::PlannerException;
using NoValidControl = nav2_core::PlannerException;
#endif

namespace {

rclcpp::Logger logger() { return rclcpp::get_logger("HeddleMPPIController"); }

template <typename Value>
Value declared(rclcpp_lifecycle::LifecycleNode &node, const std::string &name, Value value)
{
  if (!node.has_parameter(name)) {node.declare_parameter(name, rclcpp::ParameterValue(value));}
  node.get_parameter(name, value);
  return value;
}

rclcpp::ParameterValue valueOf(const hed_nav2_parameter &parameter)
{
  if (parameter.kind == HED_NAV2_FLAG) {return rclcpp::ParameterValue(parameter.value != 0);}
  if (parameter.kind == HED_NAV2_WHOLE) {
    return rclcpp::ParameterValue(static_cast<int64_t>(parameter.value));
  }
  return rclcpp::ParameterValue(parameter.value);
}

} // namespace

// ---- lifecycle ----

Controller::~Controller() { mppi_core_destroy(core_); }

std::vector<std::pair<std::string, std::string>> Controller::parameterTexts(Node &node) const
{
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto & entry : node.get_node_parameters_interface()->get_parameter_overrides()) {
    texts.emplace_back(entry.first, textOf(entry.second));
  }
  // changes since the node began
  for (auto & entry : texts) {
    if (node.has_parameter(entry.first)) {
      entry.second = textOf(node.get_parameter(entry.first).get_parameter_value());
    }
  }
  // the server declares its frequency, which a file need not give
  const char frequency[] = "controller_frequency";
  const auto isFrequency = [&](const auto & entry) {return entry.first == frequency;};
  if (node.has_parameter(frequency) && std::none_of(texts.begin(), texts.end(), isFrequency)) {
    texts.emplace_back(frequency, textOf(node.get_parameter(frequency).get_parameter_value()));
  }
  return texts;
}

void Controller::declareParameters(Node & node)
{
  hed_nav2_parameter parameter;
  std::vector<rclcpp::Parameter> changed;
  for (uint32_t i = 0; hed_nav2_config_parameter(mppi_core_config(core_), i, &parameter); i++) {
    const std::string key = name_ + "." + parameter.name;
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.dynamic_typing = true;  // a whole number is a number too
    if (!node.has_parameter(key)) {node.declare_parameter(key, valueOf(parameter), descriptor);}
    changed.push_back(node.get_parameter(key));
  }
  auto result = changeParameters(changed);
  if (!result.successful) {throw ControllerException(name_ + ": " + result.reason);}
  device_ = declared<std::string>(node, name_ + ".device", "");
  visualize_ = declared(node, name_ + ".visualize", false);
  candidate_stride_ =
    std::max<int>(1, declared<int>(node, name_ + ".TrajectoryVisualizer.trajectory_step", 5));
  pose_stride_ = std::max<int>(1, declared<int>(node, name_ + ".TrajectoryVisualizer.time_step", 3));
  transform_tolerance_ = declared(node, name_ + ".transform_tolerance", 0.1);
}

void Controller::createPublishers(Node & node)
{
  candidates_ = node.Node::create_publisher<visualization_msgs::msg::MarkerArray>(
    "~/candidate_trajectories", rclcpp::QoS(1));
  plan_ = node.Node::create_publisher<nav_msgs::msg::Path>("~/optimal_path", rclcpp::QoS(1));
#ifdef HEDDLE_NAV2_CRITICS_STATS
    costs_ = node.Node::create_publisher<nav2_msgs::msg::CriticsStats>(
        "~/critics_stats", rclcpp::QoS(1));
#endif
}

void Controller::configure(const ParentPointer &parent, std::string name,
    std::shared_ptr<tf2_ros::Buffer> tf, std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap_ros)
{
    auto node = parent.lock();
    if (!node) {
        throw ControllerException("the node of the controller server is gone");
    }
    cleanup();
    name_ = std::move(name);
    parent_ = node;
    tf_ = std::move(tf);
    costmap_ros_ = std::move(costmap_ros);
    const auto texts = parameterTexts(*node);
    std::vector<mppi_core_value> values;
    for (const auto &entry : texts) {
        values.push_back({entry.first.c_str(), entry.second.c_str()});
    }
    const auto *costmap = costmap_ros_->getCostmap();
    const double side =
        std::max(costmap->getSizeInCellsX(), costmap->getSizeInCellsY()) * costmap->getResolution();
    auto error = std::make_unique<hed_error>();
    if (mppi_core_create(name_.c_str(), values.data(), values.size(), 0.5 * side, &core_,
            error.get()) != HED_OK) {
        throw ControllerException(error->text);
    }
    declareParameters(*node);
    createPublishers(*node);
    parameters_callback_ = node->add_on_set_parameters_callback(
        [this](const std::vector<rclcpp::Parameter> &parameters) {
            return changeParameters(parameters);
        });
    char text[512];
    for (uint32_t i = 0; mppi_core_warning(core_, i, text, sizeof text); i++) {
        RCLCPP_WARN(logger(), "%s", text);
    }
    const auto info = hed_nav2_config_describe(mppi_core_config(core_));
    RCLCPP_INFO(logger(), "%s: formulas of Nav2 %s, %u futures of %u steps, on %s", name_.c_str(),
        info.release == HED_NAV2_LYRICAL ? "1.5" : "1.3 and 1.4", info.samples, info.steps,
        device_.empty() ? "the processor" : device_.c_str());
}

void Controller::cleanup()
{
    parameters_callback_.reset();
    mppi_core_destroy(core_);
    core_ = nullptr;
    candidates_.reset();
    plan_.reset();
#ifdef HEDDLE_NAV2_CRITICS_STATS
    costs_.reset();
#endif
}

void Controller::activate()
{
    candidates_->on_activate();
    plan_->on_activate();
#ifdef HEDDLE_NAV2_CRITICS_STATS
    costs_->on_activate();
#endif
}

void Controller::deactivate()
{
    candidates_->on_deactivate();
    plan_->on_deactivate();
#ifdef HEDDLE_NAV2_CRITICS_STATS
    costs_->on_deactivate();
#endif
}

// ---- from other threads ----

rcl_interfaces::msg::SetParametersResult Controller::changeParameters(
    const std::vector<rclcpp::Parameter> &parameters)
{
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    std::vector<std::string> texts;
    std::vector<const rclcpp::Parameter *> own;
    for (const auto &parameter : parameters) {
        if (parameter.get_name() == name_ + ".visualize") {
            visualize_ = parameter.as_bool();
        }
        hed_nav2_parameter known;
        for (uint32_t i = 0; hed_nav2_config_parameter(mppi_core_config(core_), i, &known); i++) {
            if (parameter.get_name() == name_ + "." + known.name) {
                own.push_back(&parameter);
            }
        }
    }
    for (size_t first = 0; first < own.size() && result.successful; first += 64) {
        const size_t count = std::min<size_t>(64, own.size() - first);
        std::vector<mppi_core_value> values(count);
        texts.clear();
        for (size_t i = 0; i < count; i++) {
            texts.push_back(textOf(own[first + i]->get_parameter_value()));
        }
        for (size_t i = 0; i < count; i++) {
            values[i] = {own[first + i]->get_name().c_str(), texts[i].c_str()};
        }
        auto error = std::make_unique<hed_error>();
        result.successful = mppi_core_change(core_, values.data(), count, error.get()) == HED_OK;
        result.reason = error->text;
    }
    return result;
}

void Controller::setSpeedLimit(const double &speed_limit, const bool &percentage)
{
  if (core_) {mppi_core_set_speed_limit(core_, speed_limit, percentage);}
}

void Controller::reset()
{
  if (core_) {mppi_core_reset(core_);}
}

// As Nav2's MPPI: the server may stop the robot at once.
bool Controller::cancel() { return true; }

// ---- a cycle ----

#ifdef HEDDLE_NAV2_SERVER_PRUNES
// The path comes with each cycle; the plan of controls is kept.
void Controller::newPathReceived(const nav_msgs::msg::Path &) {}

geometry_msgs::msg::TwistStamped Controller::computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped &pose, const geometry_msgs::msg::Twist &velocity,
    nav2_core::GoalChecker *goal_checker, const nav_msgs::msg::Path &pruned_path,
    const geometry_msgs::msg::PoseStamped &goal)
{
    const auto poses = posesOf(pruned_path);
    static const hed_nav2_pose none{};
    mppi_core_cycle cycle{};
    cycle.pruned = poses.empty() ? &none : poses.data();
    cycle.pruned_count = static_cast<uint32_t>(poses.size());
    cycle.goal = poseOf(goal.pose);
    return compute(pose, velocity, cycle, goal_checker);
}
#else
void Controller::setPlan(const nav_msgs::msg::Path &path)
{
    const auto poses = posesOf(path);
    auto error = std::make_unique<hed_error>();
    std::lock_guard<std::mutex> guard(frame_lock_);
    path_frame_ = path.header.frame_id;
    if (mppi_core_set_path(core_, poses.data(), static_cast<uint32_t>(poses.size()), error.get()) !=
        HED_OK) {
        throw ControllerException(error->text);
    }
}

geometry_msgs::msg::TwistStamped Controller::computeVelocityCommands(
    const geometry_msgs::msg::PoseStamped &pose, const geometry_msgs::msg::Twist &velocity,
    nav2_core::GoalChecker *goal_checker)
{
    std::string frame;
    {
        std::lock_guard<std::mutex> guard(frame_lock_);
        frame = path_frame_;
    }
    mppi_core_cycle cycle{};
    cycle.frame = lookUpFrame(frame, pose.header.stamp);
    return compute(pose, velocity, cycle, goal_checker);
}
#endif

hed_nav2_pose Controller::lookUpFrame(
    const std::string &frame, const builtin_interfaces::msg::Time &stamp) const
{
  const std::string target = costmap_ros_->getGlobalFrameID();
  if (frame == target) {return {};}
  if (frame.empty()) {throw ControllerTFError("the path has an empty frame_id");}
  try {
    const tf2::TimePoint time(
      std::chrono::seconds(stamp.sec) + std::chrono::nanoseconds(stamp.nanosec));
    const auto transform = tf_->lookupTransform(
      target, frame, time, tf2::durationFromSec(transform_tolerance_)).transform;
    const auto & q = transform.rotation;
    return {transform.translation.x, transform.translation.y, yawOf(q.x, q.y, q.z, q.w)};
  } catch (const tf2::TransformException & exception) {
    throw ControllerTFError(
            "no transform of the path from " + frame + " to " + target + ": " + exception.what());
    }
}

void Controller::takeCostmap(nav2_core::GoalChecker * goal_checker)
{
    mppi_core_costmap costmap{};
    auto &around = costmap.surroundings;
    around.is_circle = costmap_ros_->getUseRadius();
    if (goal_checker) {
        geometry_msgs::msg::Pose distance;
        geometry_msgs::msg::Twist speed;
#ifdef HEDDLE_NAV2_SERVER_PRUNES
        double length = 0;
        goal_checker->getTolerances(distance, speed, length);
#else
        goal_checker->getTolerances(distance, speed);
#endif
    around.goal_distance = distance.position.x;
  }
  auto * layered = costmap_ros_->getLayeredCostmap();
  around.tracks_unknown = layered->isTrackingUnknown();
  for (const auto & layer : *layered->getPlugins()) {
    auto inflation = std::dynamic_pointer_cast<nav2_costmap_2d::InflationLayer>(layer);
    if (!inflation) {continue;}
    around.inflation_radius = inflation->getInflationRadius();
    around.cost_scaling_factor = inflation->getCostScalingFactor();
    break;
  }
  std::vector<std::array<double, 2>> corners;
  for (const auto & corner : costmap_ros_->getRobotFootprint()) {
    corners.push_back({corner.x, corner.y});
  }
  around.corners = reinterpret_cast<const double(*)[2]>(corners.data());
  around.corner_count = static_cast<uint32_t>(corners.size());
  auto * cells = costmap_ros_->getCostmap();
  std::unique_lock<nav2_costmap_2d::Costmap2D::mutex_t> guard(*cells->getMutex());
  costmap.grid = {cells->getSizeInCellsX(), cells->getSizeInCellsY(), cells->getResolution(),
    cells->getOriginX(), cells->getOriginY(), cells->getCharMap()};
  auto error = std::make_unique<hed_error>();
  if (mppi_core_take_costmap(core_, &costmap, error.get()) != HED_OK) {
    throw ControllerException(error->text);
  }
}

geometry_msgs::msg::TwistStamped Controller::compute(
  const geometry_msgs::msg::PoseStamped & pose, const geometry_msgs::msg::Twist & velocity,
  mppi_core_cycle & cycle, nav2_core::GoalChecker * goal_checker)
{
  takeCostmap(goal_checker);
  cycle.pose = poseOf(pose.pose);
  cycle.speed = {velocity.linear.x, velocity.linear.y, velocity.angular.z};
  hed_nav2_velocity command;
  auto error = std::make_unique<hed_error>();
  switch (mppi_core_compute(core_, &cycle, &command, error.get())) {
    case MPPI_CORE_VALID: break;
    case MPPI_CORE_NO_VALID_CONTROL: throw NoValidControl(error->text);
    case MPPI_CORE_INVALID_PATH: throw InvalidPath(error->text);
    case MPPI_CORE_FAILED: throw ControllerException(error->text);
    }
    geometry_msgs::msg::TwistStamped message;
    message.header.stamp = pose.header.stamp;
    message.header.frame_id = costmap_ros_->getBaseFrameID();
    message.twist.linear.x = command.vx;
    message.twist.linear.y = command.vy;
    message.twist.angular.z = command.wz;
    publish(pose.header.stamp);
    return message;
}

// ---- display ----

void Controller::publish(const builtin_interfaces::msg::Time &stamp)
{
  std_msgs::msg::Header header;
  header.stamp = stamp;
  header.frame_id = costmap_ros_->getGlobalFrameID();
  if (plan_->is_activated() && plan_->get_subscription_count() > 0) {publishPlan(header);}
  if (!visualize_) {return;}
  if (candidates_->is_activated() && candidates_->get_subscription_count() > 0) {
    publishCandidates(header);
  }
  publishCosts(stamp);
}

void Controller::publishPlan(const std_msgs::msg::Header & header)
{
  uint32_t steps;
  hed_nav2_sizes(mppi_core_controller(core_), nullptr, &steps);
  const hed_nav2_pose * poses = hed_nav2_plan(mppi_core_controller(core_));
  auto message = std::make_unique<nav_msgs::msg::Path>();
  message->header = header;
  for (uint32_t i = 0; i < steps; i++) {
    geometry_msgs::msg::PoseStamped pose;
    pose.header = header;
    pose.pose = messageOf(poses[i]);
    message->poses.push_back(pose);
  }
  plan_->publish(std::move(message));
}

// Lines from green, the least cost, to red; magenta: in collision.
void Controller::publishCandidates(const std_msgs::msg::Header &header)
{
    auto *controller = mppi_core_controller(core_);
    uint32_t samples, steps;
    hed_nav2_sizes(controller, &samples, &steps);
    std::vector<float> positions(2 * static_cast<size_t>(steps));
    std::vector<float> costs;
    for (uint32_t i = 0; i < samples; i += candidate_stride_) {
        costs.push_back(hed_nav2_future(controller, i, positions.data()));
    }
    // costs of collisions are far above the others: the scale ends at the upper quartile
    auto sorted = costs;
    std::sort(sorted.begin(), sorted.end());
    const float least = sorted.front(),
                range = std::max(sorted[sorted.size() * 3 / 4] - least, 1e-6f);
    auto message = std::make_unique<visualization_msgs::msg::MarkerArray>();
    for (uint32_t n = 0; n < costs.size(); n++) {
        hed_nav2_future(controller, n * candidate_stride_, positions.data());
        visualization_msgs::msg::Marker marker;
        marker.header = header;
        marker.ns = "Candidate Trajectories";
        marker.id = static_cast<int>(n);
        marker.type = visualization_msgs::msg::Marker::LINE_STRIP;
        marker.action = visualization_msgs::msg::Marker::ADD;
        marker.pose.orientation.w = 1;
        marker.scale.x = 0.01;
        const float share = std::min((costs[n] - least) / range, 1.0f);
        const bool collides = costs[n] - least > 100 * range;
        marker.color.r = collides ? 1 : std::min(2 * share, 1.0f);
        marker.color.g = collides ? 0 : std::min(2 - 2 * share, 1.0f);
        marker.color.b = collides ? 1 : 0;
        marker.color.a = 0.7f;
        for (uint32_t t = 0; t < steps; t += pose_stride_) {
            geometry_msgs::msg::Point point;
            point.x = positions[2 * t];
            point.y = positions[2 * t + 1];
            point.z = 0.03;
            marker.points.push_back(point);
        }
        message->markers.push_back(std::move(marker));
    }
    candidates_->publish(std::move(message));
}

void Controller::publishCosts(const builtin_interfaces::msg::Time &stamp)
{
#ifdef HEDDLE_NAV2_CRITICS_STATS
  if (!costs_->is_activated() || costs_->get_subscription_count() == 0) {return;}
  auto message = std::make_unique<nav2_msgs::msg::CriticsStats>();
  message->stamp = stamp;
  uint32_t samples;
  hed_nav2_sizes(mppi_core_controller(core_), &samples, nullptr);
  const hed_nav2_critic * critic;
  for (uint32_t i = 0; (critic = hed_nav2_critic_at(mppi_core_controller(core_), i)); i++) {
    message->critics.push_back(critic->name);
    message->changed.push_back(critic->mean != 0);
    message->costs_sum.push_back(static_cast<float>(critic->mean * samples));
  }
  costs_->publish(std::move(message));
#else
    (void)stamp;
#endif
}

} // namespace heddle_mppi_controller

#include "pluginlib/class_list_macros.hpp"
PLUGINLIB_EXPORT_CLASS(heddle_mppi_controller::Controller, nav2_core::Controller)
