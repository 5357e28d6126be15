import { describe, expect, it } from 'vitest'
import { quantile, requestCounts } from './metrics-text.ts'
import { treemap } from './treemap.ts'

describe('a treemap', () => {
  it.each([
    [[6, 6, 4, 3, 2, 2, 1]],
    [[1]],
    [[1000, 1, 1]],
    [Array.from({ length: 200 }, (_, i) => i + 1)],
    [[0, 5, 0]],
  ])('gives each size its part of the area, within the whole: %#', (sizes) => {
    const aspect = 2
    const tiles = treemap(sizes, aspect)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(tiles).toHaveLength(sizes.filter((size) => size > 0).length)
    for (const { index, x, y, width, height } of tiles) {
      expect(width * height).toBeCloseTo((sizes[index] ?? 0) / total, 9)
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
      expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1 + 1e-9)
    }
    for (const [i, a] of tiles.entries()) {
      for (const b of tiles.slice(i + 1)) {
        const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
        const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
        expect(wide > 1e-9 && high > 1e-9).toBe(false)
      }
    }
  })

  it('keeps tiles of alike sizes square', () => {
    const tiles = treemap([6, 6, 4, 3, 2, 2, 1], 1.5)
    for (const { width, height } of tiles) {
      expect(Math.max((width * 1.5) / height, height / (width * 1.5))).toBeLessThan(3)
    }
  })

  it('of nothing is empty', () => {
    expect(treemap([], 1)).toEqual([])
    expect(treemap([0, 0], 1)).toEqual([])
  })
})

const metrics = (fast: number, slow: number): string => `# TYPE varve_requests counter
varve_requests_total{operation="GetObject",status="200"} ${fast}
varve_requests_total{status="503",operation="PutObject"} ${slow}
varve_requests_total{operation="GetMetrics",status="200"} 1000
varve_request_duration_seconds_bucket{le="0.01",operation="GetObject"} ${fast}
varve_request_duration_seconds_bucket{le="0.1",operation="GetObject"} ${fast}
varve_request_duration_seconds_bucket{le="+Inf",operation="GetObject"} ${fast}
varve_request_duration_seconds_bucket{le="0.01",operation="PutObject"} 0
varve_request_duration_seconds_bucket{le="0.1",operation="PutObject"} ${slow}
varve_request_duration_seconds_bucket{le="+Inf",operation="PutObject"} ${slow}
varve_request_duration_seconds_bucket{le="+Inf",operation="GetMetrics"} 1000
# EOF
`

describe('metrics', () => {
  it('count requests, but not those for the metrics', () => {
    expect(requestCounts(metrics(90, 10))).toMatchObject({ requests: 100, errors: 10 })
    expect(requestCounts('')).toEqual({ requests: 0, errors: 0, durations: [] })
  })

  it('show durations of the requests between two readings', () => {
    const [before, after] = [requestCounts(metrics(1000, 0)), requestCounts(metrics(1080, 20))]
    expect(quantile(before, after, 0.4)).toBeCloseTo(0.005)
    expect(quantile(before, after, 0.9)).toBeCloseTo(0.055)
    expect(quantile(after, after, 0.5)).toBeUndefined()
  })
})
