// A mutex that clang's thread-safety analysis understands; libstdc++'s carries no annotations.
// Works with std::condition_variable_any. Compiles to std::mutex elsewhere.
#pragma once

#include <mutex>

#if defined(__clang__)
#define SC_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define SC_THREAD_ANNOTATION(x)
#endif

#define GUARDED_BY(x) SC_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) SC_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) SC_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace scaledcache {

class SC_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() SC_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }

  void unlock() SC_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class SC_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SC_THREAD_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }

  ~MutexLock() SC_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // For std::condition_variable_any, which unlocks while it waits; the analysis sees the lock held
  // throughout, which is what the waiting code may rely on.
  void lock() SC_THREAD_ANNOTATION(no_thread_safety_analysis) { mutex_.lock(); }

  void unlock() SC_THREAD_ANNOTATION(no_thread_safety_analysis) { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

}  // namespace scaledcache
