#include "controller/gate_book.h"

#include <algorithm>

namespace scaledcache::controller {

GateRecord GateBook::record(const std::string& key, const std::string& uid) {
  MutexLock lock(mutex_);
  GateRecord& record = records_[key];
  if (record.uid != uid) {
    closing_.erase(record.uid);
    draining_.erase(record.uid);
    record = GateRecord{};
    record.uid = uid;
    record.pod = key.substr(key.find('/') + 1);
  }
  return record;
}

void GateBook::edit(const std::string& key,
                    const std::string& uid,
                    const std::function<void(GateRecord& record)>& change) {
  MutexLock lock(mutex_);
  const auto found = records_.find(key);
  if (found != records_.end() && found->second.uid == uid) {
    change(found->second);
  }
}

void GateBook::forget(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = records_.find(key);
  if (found != records_.end()) {
    closing_.erase(found->second.uid);
    draining_.erase(found->second.uid);
    records_.erase(found);
  }
}

std::map<std::string, GateRecord> GateBook::pods_of(const std::string& cache) const {
  std::map<std::string, GateRecord> pods;
  MutexLock lock(mutex_);
  for (const auto& [key, record] : records_) {
    if (record.cache == cache) {
      // Without what a pod is probed with: nobody reads that of others, and it is the most.
      GateRecord& told = pods[record.uid];
      told.uid = record.uid;
      told.pod = record.pod;
      told.cache = record.cache;
      told.identity = record.identity;
      told.state = record.state;
      told.reason = record.reason;
      told.message = record.message;
      told.lacks_label = record.lacks_label;
      told.waits = record.waits;
      told.cold_since = record.cold_since;
      told.warm_since = record.warm_since;
      told.warmup = record.warmup;
      told.progress = record.progress;
    }
  }
  return pods;
}

std::size_t GateBook::warm_pods() const {
  MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      records_.begin(), records_.end(),
      [](const auto& entry) { return entry.second.state == core::WarmthState::Warm; }));
}

int GateBook::count_open(const std::vector<std::string>& serving) const {
  MutexLock lock(mutex_);
  int count = 0;
  for (const std::string& uid : serving) {
    count += is_claimed(uid) ? 0 : 1;
  }
  return count;
}

bool GateBook::claim_closing(const std::string& uid, const std::vector<std::string>& others) {
  MutexLock lock(mutex_);
  if (!one_stays(others)) {
    return false;
  }
  closing_.insert(uid);
  return true;
}

void GateBook::release_closing(const std::string& uid) {
  MutexLock lock(mutex_);
  closing_.erase(uid);
}

bool GateBook::claim_draining(const std::string& uid, const std::vector<std::string>& others) {
  MutexLock lock(mutex_);
  if (!draining_.contains(uid) && !one_stays(others)) {
    return false;
  }
  draining_.insert(uid);
  return true;
}

void GateBook::release_draining(const std::string& uid) {
  MutexLock lock(mutex_);
  draining_.erase(uid);
}

bool GateBook::is_claimed(const std::string& uid) const {
  return closing_.contains(uid) || draining_.contains(uid);
}

bool GateBook::one_stays(const std::vector<std::string>& others) const {
  bool stays = false;
  for (const std::string& uid : others) {
    stays = stays || !is_claimed(uid);
  }
  return stays;
}

void GateBook::note_load(const std::string& cache, bool overloaded) {
  {
    MutexLock lock(mutex_);
    if (!overloaded) {
      overloaded_.erase(cache);
      return;
    }
    overloaded_.insert(cache);
  }
  wake_waiting(cache);
}

bool GateBook::overloaded(const std::string& cache) const {
  MutexLock lock(mutex_);
  return overloaded_.contains(cache);
}

void GateBook::spend_panic(const std::string& cache) {
  MutexLock lock(mutex_);
  overloaded_.erase(cache);
}

void GateBook::note_starts(const std::string& cache,
                           const std::map<std::string, WallTime>& started) {
  std::vector<std::string> younger;
  {
    MutexLock lock(mutex_);
    for (auto& [key, record] : records_) {
      const auto found = started.find(record.pod);
      if (record.cache != cache || found == started.end()) {
        continue;
      }
      const bool moved =
          !record.cache_started || found->second > *record.cache_started + core::kUptimeSlack;
      record.cache_started = std::max(found->second, record.cache_started.value_or(found->second));
      if (moved) {
        younger.push_back(key);
      }
    }
  }
  for (const std::string& key : younger) {
    wake_(key);
  }
}

void GateBook::wake_waiting(const std::string& cache) {
  std::vector<std::string> waiting;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, record] : records_) {
      if (record.cache == cache && record.state != core::WarmthState::Warm) {
        waiting.push_back(key);
      }
    }
  }
  for (const std::string& key : waiting) {
    wake_(key);
  }
}

void GateBook::forget_cache(const std::string& cache) {
  MutexLock lock(mutex_);
  overloaded_.erase(cache);
}

}  // namespace scaledcache::controller
