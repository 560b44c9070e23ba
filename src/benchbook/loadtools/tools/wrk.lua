-- Prints wrk's result as one line of JSON: counts, bytes, and latencies in microseconds.
-- With `-- SEED COUNT PATTERN` after the URL it asks COUNT paths, which are PATTERN with each number
-- from 0 for "{number}", in random order: each thread asks every path once before it asks one again.
local threads = 0

setup = function(thread)
  thread:set("number", threads)
  threads = threads + 1
end

init = function(arguments)
  local seed, count, pattern = arguments[1], tonumber(arguments[2]), arguments[3]
  if not seed then return end
  math.randomseed(tonumber(seed) + number)
  local requests, left = {}, 0
  for n = 0, count - 1 do requests[n] = wrk.format(nil, (pattern:gsub("{number}", n))) end
  request = function() -- one step of a Fisher-Yates shuffle, which begins anew where it ends
    if left == 0 then left = count end
    left = left - 1
    local drawn = math.random(0, left)
    requests[drawn], requests[left] = requests[left], requests[drawn]
    return requests[left]
  end
end

done = function(summary, latency, requests)
  local errors = summary.errors
  local line = '{"microseconds":%d,"requests":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,' ..
    '"timeout":%d,"status":%d,"mean":%f,"p50":%f,"p75":%f,"p90":%f,"p99":%f,"p99_9":%f,"max":%f}\n'
  io.write(line:format(summary.duration, summary.requests, summary.bytes, errors.connect,
    errors.read, errors.write, errors.timeout, errors.status, latency.mean,
    latency:percentile(50), latency:percentile(75), latency:percentile(90),
    latency:percentile(99), latency:percentile(99.9), latency.max))
end
