/** The dashboard and the alerts use only metrics and labels that a loaded server has. No Prometheus is needed for this. */
import { beforeAll, describe, expect, it } from 'vitest'
import { scratchPaths, serve } from '../cli/run-varve.ts'
import {
  addedLabels,
  alertExpressions,
  dashboardExpressions,
  hasSamples,
  parsed,
  type Samples,
  samplesIn,
} from './expressions.ts'
import { keyVariables, Load } from './load.ts'

const next = scratchPaths()
const expressions = [...dashboardExpressions(), ...alertExpressions()].map((one) => ({ ...one, ...parsed(one.text) }))

let types: ReadonlySet<string>
let samples: Samples

beforeAll(async () => {
  const server = await serve([next(), '--metrics', '--scrub', '10MiB'], keyVariables)
  const load = new Load(server.url)
  await load.begin()
  for (let i = 0; i < 6; i++) await load.round()
  load.end()
  // The server reports requests up to 10 ms after they end.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const text = await (await fetch(`${server.url}/-/metrics`)).text()
  await server.stop()
  types = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  samples = samplesIn(text)
}, 60_000)

const isKnown = (metric: string): boolean =>
  metric === 'up' || types.has(metric) || types.has(metric.replace(/_(total|bucket|sum|count)$/, ''))

describe('every expression of the dashboard and of the alerts', () => {
  it('is one that Prometheus parses', () => {
    expect(expressions.length).toBeGreaterThan(50)
    expect(expressions.flatMap(({ where, errors }) => errors.map((error) => `${where}: ${error}`))).toEqual([])
    expect(parsed('sum(rate(x[5m])').errors).not.toEqual([])
  })

  it('uses metrics that a server has', () => {
    const unknown = expressions.flatMap(({ where, selectors }) =>
      selectors.filter(({ metric }) => !isKnown(metric)).map(({ metric }) => `${where}: ${metric}`),
    )
    expect(unknown).toEqual([])
    expect(isKnown('varve_reqests_total')).toBe(false)
  })

  it('uses labels that these metrics have', () => {
    const unknown = expressions.flatMap(({ where, selectors, groupedBy }) => {
      const found = selectors.flatMap(({ metric }) => samples.get(metric) ?? [])
      // A counter of failures has no sample before the first one.
      if (selectors.some(({ metric }) => metric !== 'up' && !samples.has(metric))) return []
      const known = new Set([...found.flatMap((labels) => Object.keys(labels)), ...addedLabels])
      const used = [...groupedBy, ...selectors.flatMap(({ matchers }) => matchers.map(({ label }) => label))]
      return used.filter((label) => !known.has(label)).map((label) => `${where}: ${label}`)
    })
    expect(unknown).toEqual([])
  })

  it('has a result on a loaded server, except those about failures, subscriptions and nodes', () => {
    const without = expressions.filter((one) => !hasSamples(one, samples)).map(({ where }) => where)
    const allowed = /fail|damage|commit|5xx|errors|refuses|lag|jobs|nodes|database/i
    expect(without.filter((where) => !allowed.test(where))).toEqual([])
  })
})
