-- Prints wrk's result as one line of JSON: counts, bytes, and latencies in microseconds.
done = function(summary, latency, requests)
  local errors = summary.errors
  local line = '{"microseconds":%d,"requests":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,' ..
    '"timeout":%d,"status":%d,"mean":%f,"p50":%f,"p75":%f,"p90":%f,"p99":%f,"p99_9":%f,"max":%f}\n'
  io.write(line:format(summary.duration, summary.requests, summary.bytes, errors.connect,
    errors.read, errors.write, errors.timeout, errors.status, latency.mean,
    latency:percentile(50), latency:percentile(75), latency:percentile(90),
    latency:percentile(99), latency:percentile(99.9), latency.max))
end
