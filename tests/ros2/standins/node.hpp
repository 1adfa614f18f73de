// Stand-ins for a lifecycle node of ROS 2: logging, parameters with overrides, publishers that keep their last message.
#ifndef HEDDLE_STANDINS_NODE_HPP
#define HEDDLE_STANDINS_NODE_HPP

#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "messages.hpp"

namespace rclcpp {

struct Logger { std::string name; };
inline Logger get_logger(const std::string & name) {return {name};}
// Lines of the log, for tests.
inline std::vector<std::string> & log_lines() {static std::vector<std::string> lines; return lines;}
template<typename ... Values>
void log(const Logger &, const char * level, const char * format, Values ... values)
{
  char text[1024];
  std::snprintf(text, sizeof text, format, values ...);
  log_lines().push_back(std::string(level) + text);
}
#define RCLCPP_INFO(logger, ...) rclcpp::log((logger), "INFO ", __VA_ARGS__)
#define RCLCPP_WARN(logger, ...) rclcpp::log((logger), "WARN ", __VA_ARGS__)

struct QoS { explicit QoS(size_t length) : depth(length) {} size_t depth; };

enum ParameterType : uint8_t {
  PARAMETER_NOT_SET, PARAMETER_BOOL, PARAMETER_INTEGER, PARAMETER_DOUBLE, PARAMETER_STRING, PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY, PARAMETER_INTEGER_ARRAY, PARAMETER_DOUBLE_ARRAY, PARAMETER_STRING_ARRAY
};

class ParameterValue
{
public:
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<uint8_t>,
      std::vector<bool>, std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;
  ParameterValue() = default;
  template<typename Type>
  explicit ParameterValue(const Type & value)
  {
    if constexpr (std::is_same_v<Type, bool>) {value_ = value;}
    else if constexpr (std::is_integral_v<Type>) {value_ = static_cast<int64_t>(value);}
    else if constexpr (std::is_floating_point_v<Type>) {value_ = static_cast<double>(value);}
    else {value_ = value;}
  }
  ParameterType get_type() const {return static_cast<ParameterType>(value_.index());}
  template<typename Type>
  auto get() const
  {
    if constexpr (std::is_integral_v<Type> && !std::is_same_v<Type, bool>) {return std::get<int64_t>(value_);}
    else {return std::get<Type>(value_);}
  }

private:
  Value value_;
};

class Parameter
{
public:
  Parameter() = default;
  template<typename Type>
  Parameter(std::string name, const Type & value) : name_(std::move(name)), value_(value) {}
  Parameter(std::string name, ParameterValue value) : name_(std::move(name)), value_(std::move(value)) {}
  const std::string & get_name() const {return name_;}
  const ParameterValue & get_parameter_value() const {return value_;}
  bool as_bool() const {return value_.get<bool>();}

private:
  std::string name_;
  ParameterValue value_;
};

namespace node_interfaces {
struct OnSetParametersCallbackHandle {
  using SharedPtr = std::shared_ptr<OnSetParametersCallbackHandle>;
  std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter> &)> callback;
};
struct NodeParametersInterface {
  const std::map<std::string, ParameterValue> & get_parameter_overrides() const {return overrides;}
  std::map<std::string, ParameterValue> overrides;
};
}  // namespace node_interfaces
}  // namespace rclcpp

namespace rclcpp_lifecycle {

struct PublisherBase { virtual ~PublisherBase() = default; size_t subscriptions = 0, published = 0; };

template<typename Message>
struct LifecyclePublisher : PublisherBase {
  void on_activate() {active = true;}
  void on_deactivate() {active = false;}
  bool is_activated() const {return active;}
  size_t get_subscription_count() const {return subscriptions;}
  void publish(std::unique_ptr<Message> message) {last = *message; published++;}
  bool active = false;
  Message last;
};

class LifecycleNode
{
public:
  using SharedPtr = std::shared_ptr<LifecycleNode>;
  using WeakPtr = std::weak_ptr<LifecycleNode>;
  virtual ~LifecycleNode() = default;

  bool has_parameter(const std::string & name) const
  {
    std::lock_guard<std::recursive_mutex> guard(lock_);
    return parameters_.count(name) > 0;
  }
  // As rclcpp: an override of another type is refused, unless the descriptor allows any.
  void declare_parameter(
    const std::string & name, const rclcpp::ParameterValue & value,
    const rcl_interfaces::msg::ParameterDescriptor & descriptor = {})
  {
    std::lock_guard<std::recursive_mutex> guard(lock_);
    if (has_parameter(name)) {throw std::runtime_error("parameter already declared: " + name);}
    auto override = interface_->overrides.find(name);
    auto initial = override == interface_->overrides.end() ? value : override->second;
    if (initial.get_type() != value.get_type() && !descriptor.dynamic_typing) {
      throw std::runtime_error("parameter " + name + " has another type");
    }
    parameters_[name] = {initial, descriptor.dynamic_typing};
  }
  rclcpp::Parameter get_parameter(const std::string & name) const
  {
    std::lock_guard<std::recursive_mutex> guard(lock_);
    return {name, parameters_.at(name).first};
  }
  template<typename Type>
  bool get_parameter(const std::string & name, Type & value) const
  {
    std::lock_guard<std::recursive_mutex> guard(lock_);
    value = static_cast<Type>(parameters_.at(name).first.get<Type>());
    return true;
  }
  std::shared_ptr<rclcpp::node_interfaces::NodeParametersInterface> get_node_parameters_interface()
  {
    return interface_;
  }
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<rclcpp::Parameter> &)> callback)
  {
    auto handle = std::make_shared<rclcpp::node_interfaces::OnSetParametersCallbackHandle>();
    handle->callback = std::move(callback);
    std::lock_guard<std::recursive_mutex> guard(lock_);
    callbacks_.push_back(handle);
    return handle;
  }
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(const std::vector<rclcpp::Parameter> & list)
  {
    std::lock_guard<std::recursive_mutex> guard(lock_);
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    for (auto & weak : callbacks_) {
      auto handle = weak.lock();
      if (handle && result.successful) {result = handle->callback(list);}
    }
    if (result.successful) {
      for (auto & parameter : list) {parameters_[parameter.get_name()].first = parameter.get_parameter_value();}
    }
    return result;
  }
  template<typename Message>
  std::shared_ptr<LifecyclePublisher<Message>> create_publisher(const std::string & topic, const rclcpp::QoS &)
  {
    auto publisher = std::make_shared<LifecyclePublisher<Message>>();
    publishers[topic] = publisher;
    return publisher;
  }
  template<typename Message>
  LifecyclePublisher<Message> & topic(const std::string & name)
  {
    return dynamic_cast<LifecyclePublisher<Message> &>(*publishers.at(name));
  }

  std::map<std::string, std::shared_ptr<PublisherBase>> publishers;

private:
  mutable std::recursive_mutex lock_;
  std::map<std::string, std::pair<rclcpp::ParameterValue, bool>> parameters_;
  std::list<std::weak_ptr<rclcpp::node_interfaces::OnSetParametersCallbackHandle>> callbacks_;
  std::shared_ptr<rclcpp::node_interfaces::NodeParametersInterface> interface_ =
    std::make_shared<rclcpp::node_interfaces::NodeParametersInterface>();
};
}  // namespace rclcpp_lifecycle

namespace nav2 {
class LifecycleNode : public rclcpp_lifecycle::LifecycleNode
{
public:
  using SharedPtr = std::shared_ptr<LifecycleNode>;
  using WeakPtr = std::weak_ptr<LifecycleNode>;
};
}  // namespace nav2

#endif
