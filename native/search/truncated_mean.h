// The mean of a Gaussian between two bounds: what a model expects of the rest of a plan that is
// to be cheaper than the best one so far.

#pragma once

namespace beeline {

// The mean of the Gaussian (mu, sigma) cut off at `lower` and `upper`; `lower` is finite, `upper`
// may be infinite, and sigma is positive. Never outside the bounds; `lower` if they contradict.
double truncated_mean(double mu, double sigma, double lower, double upper);

} // namespace beeline
