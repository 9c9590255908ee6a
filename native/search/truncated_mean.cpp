// Equation 10 of Núñez-Molina et al., "On using admissible bounds for learning forward search
// heuristics", by the two cases of `beeline.models.estimates`, which says why nothing is lost in
// the tails: closed forms where mu lies inside a wide interval, otherwise a Gauss-Legendre rule
// over the part of the interval that carries mass. At most 32 exponentials.

#include "search/truncated_mean.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace beeline {

namespace {

constexpr int nodes = 32;
constexpr double wide = 3;        // in sigmas
constexpr double negligible = 45; // exp(-45) of the density at the bound
constexpr double smallest_width = 1e-100;

struct Rule {
  std::array<double, nodes> points{}, weights{}; // over [0, 1]

  // The roots of the Legendre polynomial by Newton's method.
  Rule() {
    for (int i = 0; i < nodes; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (nodes + 0.5)), slope = 1;
      for (int step = 0; step < 8; ++step) {
        double before = 1, value = x;
        for (int k = 2; k <= nodes; ++k)
          before = std::exchange(value, ((2 * k - 1) * x * value - (k - 1) * before) / k);
        slope = nodes * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      points[i] = (1 + x) / 2;
      weights[i] = 1 / ((1 - x * x) * slope * slope);
    }
  }
};

// E[t] of the density exp(-t (a + t / 2)) on [0, width], which falls from t = 0 on.
double mean_from_bound(double a, double width) {
  static const Rule rule;
  width = std::min(width, 2 * negligible / (a + std::sqrt(a * a + 2 * negligible)));
  double mass = 0, moment = 0;
  for (int i = 0; i < nodes; ++i) {
    const double t = width * rule.points[i];
    const double p = std::exp(-t * (a + 0.5 * t)) * rule.weights[i];
    mass += p;
    moment += p * t;
  }
  return moment / mass;
}

} // namespace

double truncated_mean(double mu, double sigma, double lower, double upper) {
  if (upper <= lower)
    return lower;
  // Mirrored so that the bound next to mu lies on the left.
  const bool mirrored = (lower - mu) + (upper - mu) < 0;
  const double a = (mirrored ? mu - upper : lower - mu) / sigma;
  const double b = (mirrored ? mu - lower : upper - mu) / sigma;
  const double width = std::max((upper - lower) / sigma, smallest_width);
  double mean = 0;
  if (a < 0 && width > wide) {
    const double outside =
        0.5 * (std::erfc(b / std::numbers::sqrt2) + std::erfc(-a / std::numbers::sqrt2));
    const double densities = std::exp(-0.5 * a * a) - std::exp(-0.5 * b * b);
    mean = mu + (mirrored ? -sigma : sigma) * densities /
                    (std::sqrt(2 * std::numbers::pi) * (1 - outside));
  } else {
    const double t = sigma * mean_from_bound(a, width);
    mean = mirrored ? upper - t : lower + t;
  }
  return std::clamp(mean, lower, upper);
}

} // namespace beeline
