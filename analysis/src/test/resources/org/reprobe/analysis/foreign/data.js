window.BENCHMARK_DATA = {
  "lastUpdate": 1790000300000,
  "repoUrl": "https://example.org/table",
  "entries": {
    "Rust": [
      {
        "commit": {"id": "aaa1", "message": "Add tables", "timestamp": "2026-09-20T10:00:00+02:00"},
        "date": 1790000000000,
        "tool": "cargo",
        "benches": [
          {"name": "lookup/64", "value": 125, "range": "± 3", "unit": "ns/iter"},
          {"name": "lookup/1024", "value": "1.5", "range": "± 0", "unit": "us/iter"}
        ]
      },
      {
        "commit": {"id": "aaa1", "message": "Add tables", "timestamp": "2026-09-20T10:00:00+02:00"},
        "date": 1790000200000,
        "tool": "cargo",
        "benches": [{"name": "lookup/64", "value": null, "unit": "ns/iter"}]
      }
    ],
    "Frames": [
      {
        "commit": {"id": "aaa1", "message": "Add tables", "timestamp": "2026-09-20T10:00:00+02:00"},
        "date": 1790000100000,
        "tool": "customBiggerIsBetter",
        "benches": [
          {"name": "draw", "value": 60, "unit": "frames", "extra": "3 scenes"},
          {"name": "hold", "value": 4, "unit": "ms"}
        ]
      },
      {
        "commit": {"id": "bbb2", "message": "Draw faster", "timestamp": "2026-09-21T10:00:00+02:00"},
        "date": 1790000300000,
        "tool": "customSmallerIsBetter",
        "benches": [{"name": "wait", "value": 7, "unit": "cycles/op"}, {"name": "load", "value": 3, "unit": "jobs/s"}]
      }
    ],
    "Python": [
      {
        "commit": {"id": "bbb2", "message": "Draw faster", "timestamp": "2026-09-21T10:00:00+02:00"},
        "date": 1790000290000,
        "tool": "pytest",
        "benches": [{"name": "test_lookup", "value": 952.5, "unit": "iter/sec", "range": "stddev: 0.0002"}]
      }
    ]
  }
}
