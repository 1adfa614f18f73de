// The ROS 2 controller plugin against stand-ins (standins/): an unedited parameter file, drives,
// exceptions, limits, parameters that change, messages, threads. Built once for each release of
// Nav2's plugin interface.
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "heddle_mppi_controller/controller.hpp"
#if HEDDLE_STANDINS_RELEASE == 1
#include "nav2_core/exceptions.hpp"
#else
#include "nav2_core/controller_exceptions.hpp"
#endif
extern "C" {
#include "files/yaml_tree.h"
#include "heddle/heddle.h"
#include "heddle/mppi_scene.h"
}

static int failures = 0;
#define CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            failures++; \
            std::printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            std::printf(__VA_ARGS__); \
            std::printf("\n"); \
        } \
    } while (0)

#if HEDDLE_STANDINS_RELEASE == 1
using Refusal = nav2_core::PlannerException;
using NoControl = nav2_core::PlannerException;
using NoPath = nav2_core::PlannerException;
using NoTransform = nav2_core::PlannerException;
#else
using Refusal = nav2_core::ControllerException;
using NoControl = nav2_core::NoValidControl;
using NoPath = nav2_core::InvalidPath;
using NoTransform = nav2_core::ControllerTFError;
#endif
#if HEDDLE_STANDINS_RELEASE == 5
static const char FILE_NAME[] = "data/mppi/nav2/nav2_params.yaml";
#else
static const char FILE_NAME[] = "data/mppi/nav2/nav2_params_jazzy.yaml";
#endif

template <typename Exception, typename Call> static void throws(Call call, const char *text)
{
  try {
    call();
    CHECK(false, "nothing was thrown; expected \"%s\"", text);
  } catch (const Exception & exception) {
    CHECK(std::strstr(exception.what(), text), "found \"%s\", expected \"%s\"", exception.what(), text);
  } catch (const std::exception & exception) {
    CHECK(false, "another exception: %s", exception.what());
  }
}

// ---- a world ----

struct Checker : nav2_core::GoalChecker {
    bool getTolerances(geometry_msgs::msg::Pose &pose, geometry_msgs::msg::Twist &
#if HEDDLE_STANDINS_RELEASE == 5
    , double &
#endif
  ) override {pose.position.x = 0.25; return true;}
};

// A scalar as ROS reads it from a parameter file.
static rclcpp::ParameterValue scalar(const yaml_node &node)
{
    double number;
    bool flag;
    if (yaml_flag(&node, &flag)) {
        return rclcpp::ParameterValue(flag);
    }
    if (!yaml_number(&node, &number)) {
        return rclcpp::ParameterValue(std::string(node.text));
    }
    if (std::strpbrk(node.text, ".eE")) {
        return rclcpp::ParameterValue(number);
    }
    return rclcpp::ParameterValue(static_cast<int64_t>(number));
}

static void flatten(const yaml_node &map, const std::string &prefix,
    std::map<std::string, rclcpp::ParameterValue> &to)
{
    for (auto *n = map.first; n; n = n->next) {
        const std::string key = prefix + n->key;
        if (n->kind == YAML_MAP) {
            flatten(*n, key + ".", to);
        }
        if (n->kind == YAML_SCALAR) {
            to[key] = scalar(*n);
        }
        if (n->kind != YAML_LIST) {
            continue;
        }
        std::vector<std::string> items;
        for (auto *item = n->first; item; item = item->next) {
            items.push_back(item->text);
        }
        to[key] = rclcpp::ParameterValue(items);
    }
}

static std::string contents(const char *path)
{
    std::string text;
    std::FILE *file = std::fopen(path, "r");
    if (!file) {
        std::printf("%s: cannot be opened\n", path);
        std::exit(1);
    }
    for (int c; (c = std::fgetc(file)) != EOF;) {
        text += static_cast<char>(c);
    }
    std::fclose(file);
    return text;
}

struct World {
#if HEDDLE_STANDINS_RELEASE == 5
    std::shared_ptr<nav2::LifecycleNode> node = std::make_shared<nav2::LifecycleNode>();
#else
    std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node =
        std::make_shared<rclcpp_lifecycle::LifecycleNode>();
#endif
    std::shared_ptr<tf2_ros::Buffer> tf = std::make_shared<tf2_ros::Buffer>();
    std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap =
        std::make_shared<nav2_costmap_2d::Costmap2DROS>();
    std::shared_ptr<nav2_core::Controller> controller;
    Checker checker;
    hed_nav2_config *config = nullptr;
    std::vector<hed_nav2_pose> path; // in the costmap's frame
    hed_nav2_pose frame{2, 1, 0.4};  // of the path, in the costmap's
    hed_nav2_pose pose{0.6, 0.6, 1.2};
    hed_nav2_velocity speed{};

    std::map<std::string, rclcpp::ParameterValue> &overrides()
    {
        return node->get_node_parameters_interface()->overrides;
    }

    World()
    {
        hed_error error{};
        yaml_tree *tree;
        std::string text = contents(FILE_NAME);
        const std::string theirs = "nav2_mppi_controller::MPPIController";
        text.replace(text.find(theirs), theirs.size(), "heddle_mppi_controller::Controller");
        if (yaml_tree_parse(FILE_NAME, text.c_str(), text.size(), &tree, &error) != HED_OK ||
            hed_nav2_config_read(FILE_NAME, &config, &error) != HED_OK) {
            std::printf("%s\n", error.text);
            std::exit(1);
        }
        flatten(*yaml_member(yaml_member(yaml_root(tree), "controller_server"), "ros__parameters"),
            "", overrides());
        yaml_tree_free(tree);
        overrides()["FollowPath.batch_size"] = rclcpp::ParameterValue(1000);
        node->declare_parameter("controller_frequency", rclcpp::ParameterValue(20.0));
        readMap("data/mppi/nav2/doorway.yaml");
        const std::string poses = contents("data/mppi/nav2/doorway_path.csv");
        for (const char *at = poses.c_str(); at && *at;
             at = std::strchr(at, '\n'), at += at != nullptr) {
            hed_nav2_pose p;
            if (std::sscanf(at, "%lf,%lf,%lf", &p.x, &p.y, &p.yaw) == 3) {
                path.push_back(p);
            }
        }
        for (int i = 0; i < 16; i++) {
            geometry_msgs::msg::Point corner;
            const double x = 0.22 * std::cos(i * M_PI / 8), y = 0.22 * std::sin(i * M_PI / 8);
            corner.x = x + (std::fabs(x) > 1e-9 ? std::copysign(0.01, x) : 0);
            corner.y = y + (std::fabs(y) > 1e-9 ? std::copysign(0.01, y) : 0);
            costmap->footprint.push_back(corner);
        }
        controller = pluginlib::factories().at("heddle_mppi_controller::Controller")();
    }
    ~World() { hed_nav2_config_free(config); }

    // A map with a disc, (x, y, radius), if it is given.
    void readMap(const char *file, const double *disc = nullptr)
    {
        hed_error error{};
        hed_mppi_map map{};
        if (hed_mppi_map_read(file, &map, &error) != HED_OK) {
            std::printf("%s\n", error.text);
            std::exit(1);
        }
        auto &to = costmap->costmap;
        to.width = map.width;
        to.height = map.height;
        to.resolution = map.resolution;
        to.cells.resize(static_cast<size_t>(map.width) * map.height);
        for (uint32_t i = 0; disc && i < map.width * map.height; i++) {
            const double x = (i % map.width + 0.5) * map.resolution - disc[0];
            const double y = (i / map.width + 0.5) * map.resolution - disc[1];
            if (std::hypot(x, y) <= disc[2]) { map.values[i] = 1; }
        }
        hed_nav2_inflate(config, &map, to.cells.data(), &error);
        hed_mppi_map_free(&map);
    }

    // Tells the transform from the frame of paths, which localisation moves.
    void localise()
    {
        geometry_msgs::msg::TransformStamped transform;
        transform.transform.translation.x = frame.x;
        transform.transform.translation.y = frame.y;
        transform.transform.rotation.z = std::sin(0.5 * frame.yaw);
        transform.transform.rotation.w = std::cos(0.5 * frame.yaw);
        tf->transforms[{"odom", "map"}] = transform;
    }

    void configure()
    {
        localise();
        controller->configure(node, "FollowPath", tf, costmap);
        controller->activate();
    }

    geometry_msgs::msg::PoseStamped stamped(const hed_nav2_pose &p, const char *frame_id) const
    {
        geometry_msgs::msg::PoseStamped message;
        message.header.frame_id = frame_id;
        message.header.stamp.sec = 7;
        message.pose.position.x = p.x;
        message.pose.position.y = p.y;
        message.pose.orientation.z = std::sin(0.5 * p.yaw);
        message.pose.orientation.w = std::cos(0.5 * p.yaw);
        return message;
    }

    // The path in its own frame.
    nav_msgs::msg::Path message() const
    {
        nav_msgs::msg::Path result;
        result.header.frame_id = "map";
        for (auto &p : path) {
            const double x = p.x - frame.x, y = p.y - frame.y, c = std::cos(frame.yaw),
                         s = std::sin(frame.yaw);
            result.poses.push_back(
                stamped({x * c + y * s, y * c - x * s, p.yaw - frame.yaw}, "map"));
        }
        return result;
    }

    void sendPath()
    {
#if HEDDLE_STANDINS_RELEASE == 5
        controller->newPathReceived(message());
#else
        controller->setPlan(message());
#endif
    }

    geometry_msgs::msg::TwistStamped command()
    {
        geometry_msgs::msg::Twist measured;
        measured.linear.x = speed.vx;
        measured.angular.z = speed.wz;
#if HEDDLE_STANDINS_RELEASE == 5
        // the server's path handler: from the nearest pose on, 2 m
        nav_msgs::msg::Path pruned;
        size_t nearest = 0;
        auto distance = [this](size_t i) {
            return std::hypot(path[i].x - pose.x, path[i].y - pose.y);
        };
        for (size_t i = 0; i < path.size(); i++) {
            if (distance(i) < distance(nearest)) {
                nearest = i;
            }
        }
        double length = 0;
        for (size_t i = nearest; i < path.size() && length <= 2; i++) {
            pruned.poses.push_back(stamped(path[i], "odom"));
            if (i + 1 < path.size()) {
                length += std::hypot(path[i + 1].x - path[i].x, path[i + 1].y - path[i].y);
            }
        }
        return controller->computeVelocityCommands(stamped(pose, "odom"), measured, &checker,
            pruned, stamped(path.empty() ? pose : path.back(), "odom"));
#else
        return controller->computeVelocityCommands(stamped(pose, "odom"), measured, &checker);
#endif
    }

    // One cycle of 50 ms.
    void step()
    {
        const auto sent = command();
        CHECK(sent.header.frame_id == "base_link" && sent.header.stamp.sec == 7, "%s",
            sent.header.frame_id.c_str());
        speed = {sent.twist.linear.x, 0, sent.twist.angular.z};
        pose.yaw += 0.025 * speed.wz;
        pose.x += 0.05 * speed.vx * std::cos(pose.yaw);
        pose.y += 0.05 * speed.vx * std::sin(pose.yaw);
        pose.yaw += 0.025 * speed.wz;
    }

    bool touches() const
    {
        auto &from = costmap->costmap;
        const hed_nav2_grid grid{from.width, from.height, from.resolution, 0, 0, from.cells.data()};
        return hed_nav2_touches(config, &grid, pose);
    }

    bool arrived() const
    {
        auto &goal = path.back();
        return std::hypot(goal.x - pose.x, goal.y - pose.y) <= 0.25 &&
               std::fabs(std::remainder(goal.yaw - pose.yaw, 2 * M_PI)) <= 0.25;
    }
};

// ---- cases ----

// The route of docs/mppi-nav2.md, while localisation corrects the frame of the path.
static void drives_through_the_doorway()
{
    World w;
    w.configure();
    int cycles = 0;
    for (; cycles < 800 && !w.arrived(); cycles++) {
        if (cycles % 100 == 0) {
            w.frame.x += 0.2;
            w.frame.yaw -= 0.05;
            w.localise();
            w.sendPath();
        }
        w.step();
        CHECK(!w.touches(), "contact at %.2f, %.2f", w.pose.x, w.pose.y);
    }
    std::printf("doorway: %.2f s\n", 0.05 * cycles);
    CHECK(w.arrived() && cycles > 500 && cycles < 620, "%d cycles", cycles);
    w.controller->deactivate();
    w.controller->cleanup();
}

// A disc on the path: the robot is led around it, also where the server prunes the path anew in
// each cycle; without "detour" the critics of 1.3 rest in front of it.
static void gets_past_a_disc()
{
    for (int detour = 1; detour >= 0; detour--) {
        World w;
        const double disc[] = {1.5, 2.65, 0.15};
        w.readMap("data/mppi/nav2/doorway.yaml", disc);
        w.overrides()["FollowPath.detour"] = rclcpp::ParameterValue(detour == 1);
        w.configure();
        w.sendPath();
        int cycles = 0;
        for (; cycles < (detour ? 900 : 300) && !w.arrived(); cycles++) { w.step(); }
        CHECK(!w.touches(), "contact at %.2f, %.2f", w.pose.x, w.pose.y);
        std::printf("disc: %.2f s, at %.2f %.2f\n", 0.05 * cycles, w.pose.x, w.pose.y);
        CHECK(!detour || w.arrived(), "at %.2f, %.2f", w.pose.x, w.pose.y);
#if HEDDLE_STANDINS_RELEASE != 5
        CHECK(detour || w.pose.x < 1.3, "at %.2f, %.2f without", w.pose.x, w.pose.y);
#endif
    }
}

static void refuses_what_cannot_run()
{
  World slow;
  slow.node = std::make_shared<decltype(slow.node)::element_type>();
  slow.overrides() = World().overrides();
  slow.overrides()["controller_frequency"] = rclcpp::ParameterValue(10.0);
  throws<Refusal>([&] {slow.configure();}, "controller_frequency is 10 Hz");
  World wrong;
  wrong.overrides()["FollowPath.temperature"] = rclcpp::ParameterValue(std::string("warm"));
  throws<Refusal>([&] {wrong.configure();}, "FollowPath.temperature: expected a number, found \"warm\"");
  World strange;
  strange.overrides()["FollowPath.CostCritic.cost_wieght"] = rclcpp::ParameterValue(3.0);
  rclcpp::log_lines().clear();
  strange.configure();
  std::string log;
  for (auto & line : rclcpp::log_lines()) {log += line + "\n";}
  CHECK(log.find("WARN FollowPath.CostCritic.cost_wieght") != log.npos && log.find("did you mean cost_weight?") != log.npos,
    "%s", log.c_str());
}

// The device of parameter "device": the processor, one that is missing, and PoCL's where it is.
static void computes_on_a_device()
{
    for (const char *id : {"host", "opencl:0:0"}) {
        auto error = std::make_unique<hed_error>();
        hed_context *context = nullptr;
        hed_device *device = nullptr;
        hed_context_create(nullptr, &context, error.get());
        hed_device_find(context, id, &device, error.get());
        hed_context_destroy(context);
        if (!device) { continue; }
        World w;
        w.overrides()["FollowPath.device"] = rclcpp::ParameterValue(std::string(id));
        w.overrides()["FollowPath.batch_size"] = rclcpp::ParameterValue(200);
        rclcpp::log_lines().clear();
        w.configure();
        std::string log;
        for (auto &line : rclcpp::log_lines()) { log += line + "\n"; }
        CHECK(log.find("WARN") == log.npos && log.find(std::string("on ") + id) != log.npos, "%s",
            log.c_str());
        w.sendPath();
        const double start = w.pose.x;
        for (int i = 0; i < 60; i++) { w.step(); }
        CHECK(w.pose.x > start + 0.05, "%s: at %.2f after 3 s, from %.2f", id, w.pose.x, start);
        std::printf("device %s: %.2f m ahead after 3 s\n", id, w.pose.x - start);
    }
    World w;
    w.overrides()["FollowPath.device"] = rclcpp::ParameterValue(std::string("nosuch"));
    throws<Refusal>([&] { w.configure(); }, "nosuch");
}

static void throws_as_nav2_does()
{
    World w;
    w.configure();
    auto path = w.path;
    w.path.clear();
    w.sendPath();
    throws<NoPath>([&] { w.command(); }, "the path has no poses");
    w.path = path;
    w.sendPath();
    w.step();
#if HEDDLE_STANDINS_RELEASE != 5
  w.tf->transforms.clear();
  throws<NoTransform>([&] {w.command();}, "map is no frame of the tree");
  w.localise();
  for (auto & p : w.path) {p.x += 100;}
  w.sendPath();
  throws<NoPath>([&] {w.command();}, "no pose of the path is left on the costmap");
  w.path = path;
  w.path[3].x = NAN;
  w.sendPath();
  for (int i = 0; i < 2; i++) {throws<NoPath>([&] {w.command();}, "pose 3 of the path is not finite");}
  w.path = path;
  w.sendPath();
#endif
  auto cells = w.costmap->costmap.cells;
  std::fill(w.costmap->costmap.cells.begin(), w.costmap->costmap.cells.end(), 254);
  throws<NoControl>([&] {w.command();}, "every future collides, after 1 retries");
  w.costmap->costmap.cells = cells;
  for (int i = 0; i < 20; i++) {w.step();}
  CHECK(w.speed.vx > 0.1, "%g m/s after the obstacles are gone", w.speed.vx);
  w.pose.x = NAN;
  throws<Refusal>([&] {w.command();}, "pose or speed is not finite");
}

static void limits_and_parameters_change()
{
  World w;
  w.configure();
  w.sendPath();
  auto settle = [&] {for (int i = 0; i < 15; i++) {w.step();} return w.speed.vx;};
  for (int i = 0; i < 60; i++) {w.step();}
  w.controller->setSpeedLimit(50, true);
  CHECK(settle() <= 0.251 && w.speed.vx > 0.15, "%g m/s at 50 per cent", w.speed.vx);
  w.controller->setSpeedLimit(0.1, false);
  CHECK(settle() <= 0.101, "%g m/s at 0.1", w.speed.vx);
#if HEDDLE_STANDINS_RELEASE > 1
    w.controller->reset();
    CHECK(settle() <= 0.101, "%g m/s: a reset keeps the limit", w.speed.vx);
    CHECK(w.controller->cancel(), "the server may stop at once");
#endif
    w.controller->setSpeedLimit(0, false);
    CHECK(settle() > 0.2, "%g m/s without a limit", w.speed.vx);
    auto set = [&](std::vector<rclcpp::Parameter> list) {
        return w.node->set_parameters_atomically(list);
    };
    CHECK(set({{"FollowPath.vx_max", 0.3}, {"FollowPath.batch_size", 600}}).successful,
        "two parameters");
    w.step();
    CHECK(w.speed.vx > 0.2, "%g m/s: the plan is kept", w.speed.vx);
    CHECK(settle() <= 0.301, "%g m/s at vx_max 0.3", w.speed.vx);
    auto refused = set({{"FollowPath.vx_max", 0.5}, {"FollowPath.time_steps", 1}});
    CHECK(!refused.successful && refused.reason.find("time_steps") != std::string::npos, "%s",
        refused.reason.c_str());
    CHECK(settle() <= 0.301, "%g m/s: all or none", w.speed.vx);
    CHECK(set({{"other.parameter", 5}}).successful, "parameters of others");
    CHECK(set({{"FollowPath.vx_max", 0}}).successful, "a whole number is a number");
    CHECK(settle() <= 0.001, "%g m/s at vx_max 0", w.speed.vx);
}

static void publishes()
{
  World w;
  w.configure();
  w.sendPath();
  auto & plan = w.node->topic<nav_msgs::msg::Path>("~/optimal_path");
  auto & candidates = w.node->topic<visualization_msgs::msg::MarkerArray>("~/candidate_trajectories");
  w.step();
  CHECK(plan.published == 0 && candidates.published == 0, "without subscribers");
  plan.subscriptions = candidates.subscriptions = 1;
#if HEDDLE_STANDINS_RELEASE == 5
    auto &costs = w.node->topic<nav2_msgs::msg::CriticsStats>("~/critics_stats");
    costs.subscriptions = 1;
#endif
    for (int i = 0; i < 5; i++) {
        w.step();
    }
    CHECK(
        plan.published == 5 && plan.last.poses.size() == 56 && plan.last.header.frame_id == "odom",
        "%zu poses", plan.last.poses.size());
    CHECK(candidates.published == 5 && candidates.last.markers.size() == 200, "%zu markers",
        candidates.last.markers.size());
    if (!candidates.last.markers.empty()) {
        auto &marker = candidates.last.markers[7];
        CHECK(marker.points.size() == 19 &&
                  std::hypot(marker.points[0].x - w.pose.x, marker.points[0].y - w.pose.y) < 0.1,
            "%zu points", marker.points.size());
    }
#if HEDDLE_STANDINS_RELEASE == 5
  CHECK(costs.published == 5 && costs.last.critics.size() == 8, "%zu critics", costs.last.critics.size());
#endif
    w.node->set_parameters_atomically({{"FollowPath.visualize", false}});
    w.step();
    CHECK(candidates.published == 5 && plan.published == 6, "candidates only with visualize");
    w.controller->deactivate();
    w.step();
    CHECK(plan.published == 6, "an inactive publisher is silent");
}

// Paths, limits, parameters and the costmap change from other threads while the cycle runs.
static void threads()
{
    World w;
    w.configure();
    w.sendPath();
    std::atomic<bool> done{false};
    std::thread paths([&] {
        while (!done) {
            w.sendPath();
            std::this_thread::yield();
        }
    });
    std::thread limits([&] {
        for (int i = 0; !done; i++) {
            w.controller->setSpeedLimit(20 + i % 80, true);
            w.node->set_parameters_atomically({{"FollowPath.CostCritic.cost_weight", 3.0 + i % 3}});
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    std::thread costs([&] {
        auto &map = w.costmap->costmap;
        const auto cells = map.cells;
        while (!done) {
            std::unique_lock<nav2_costmap_2d::Costmap2D::mutex_t> guard(*map.getMutex());
            std::fill(map.cells.begin(), map.cells.end(), 254);
            map.cells = cells; // nobody sees the state in between
            guard.unlock();
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < 60; i++) {
        w.step();
        CHECK(std::isfinite(w.speed.vx) && w.speed.vx <= 0.501, "%g m/s", w.speed.vx);
    }
    done = true;
    paths.join();
    limits.join();
    costs.join();
    CHECK(w.pose.y > 0.7, "the robot moved to %g, %g", w.pose.x, w.pose.y);
}

static void comes_back_after_a_cleanup()
{
  World w;
  for (int round = 0; round < 2; round++) {
    w.configure();
    w.sendPath();
    for (int i = 0; i < 10; i++) {w.step();}
    CHECK(w.speed.vx > 0.05, "%g m/s in round %d", w.speed.vx, round);
    w.node->set_parameters_atomically({{"FollowPath.vx_max", 0.2}});
    w.controller->deactivate();
    w.controller->cleanup();
    CHECK(w.node->set_parameters_atomically({{"FollowPath.vx_max", 0.2}}).successful, "no callback is left");
  }
  CHECK(w.speed.vx <= 0.2001, "%g m/s: the change of a parameter stays", w.speed.vx);
}

int main(int argc, char ** argv)
{
  const struct { const char * name; void (* run)(); } cases[] = {
    {"doorway", drives_through_the_doorway}, {"disc", gets_past_a_disc}, {"device", computes_on_a_device}, {"refusals", refuses_what_cannot_run}, {"exceptions", throws_as_nav2_does},
    {"changes", limits_and_parameters_change}, {"messages", publishes}, {"threads", threads},
    {"cleanup", comes_back_after_a_cleanup}};
  for (auto & test : cases) {
    if (argc > 1 && std::strcmp(argv[1], test.name) != 0) {continue;}
    const int before = failures;
    test.run();
    std::printf("%s: %s\n", test.name, failures == before ? "passed" : "FAILED");
  }
  return failures ? 1 : 0;
}
