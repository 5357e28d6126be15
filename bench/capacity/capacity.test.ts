/** The model and the simulation, and the page that shows them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EventLoop, Processors, randomOf } from './event-loop.ts'
import { capacityOf, indexLevels } from './model.ts'
import { demands, machines, prices, simulations } from './scenarios.ts'
import { simulate, simulatePuts } from './simulation.ts'
import { tables, withTables } from './tables.ts'

const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8')

describe('docs/scale.md', () => {
  it('has every table as the code computes it', () => {
    expect(withTables(page)).toBe(page)
    for (const name of Object.keys(tables)) expect(page).toContain(`<!-- capacity ${name} -->`)
  })
})

describe('the model', () => {
  const [[, billion] = []] = demands
  if (billion === undefined) throw new Error('There is no demand.')

  it('has an index of one page for few rows, and one level more for each factor of its entries', () => {
    expect([1, 71, 72, 71 * 71, 71 * 71 + 1].map((rows) => indexLevels(rows))).toEqual([1, 1, 2, 2, 3])
  })

  it('needs more logs for more bytes, more requests or a busier log', () => {
    const shardsOf = (...args: Parameters<typeof capacityOf>) => capacityOf(...args).shards
    const base = shardsOf(billion, machines, prices)
    expect(shardsOf({ ...billion, objects: 1e11 }, machines, prices)).toBeGreaterThan(base)
    expect(shardsOf({ ...billion, requestsPerSecond: 1e6 }, machines, prices)).toBeGreaterThan(base)
    expect(shardsOf({ ...billion, requestsPerSecond: 1e6 }, { ...machines, skew: 3 }, prices)).toBeGreaterThan(
      shardsOf({ ...billion, requestsPerSecond: 1e6 }, machines, prices),
    )
  })

  it('sums the month', () => {
    const { monthly } = capacityOf(billion, machines, prices)
    const { all, ...parts } = monthly
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(all, 5)
  })
})

describe('the simulation', () => {
  const [setting] = simulations
  if (setting === undefined) throw new Error('There is no setting.')
  const short = { ...setting, seconds: 5 }

  it('is the same for the same seed, and another for another', () => {
    expect(simulate(short)).toEqual(simulate(short))
    expect(simulate({ ...short, seed: 2 })).not.toEqual(simulate(short))
  })

  it('has no conflicts with one node, and pays for those of several', () => {
    const waits = { roundTripMs: 0.1, syncMs: 1 }
    expect(simulate({ ...short, nodesOfShard: 1 }).conflictsPerCommit).toBe(0)
    expect(simulatePuts(2, 12, waits).ms).toBeGreaterThan(simulatePuts(1, 12, waits).ms)
  })

  it('answers no more than the processors of the nodes can do', () => {
    const demand = { ...short.demand, requestsPerSecond: 5000 }
    const { answeredPerSecond, offeredPerSecond, nodeUse } = simulate({ ...short, demand })
    expect(offeredPerSecond).toBeGreaterThan(4500)
    expect(answeredPerSecond).toBeLessThan(1000)
    expect(nodeUse).toBeGreaterThan(0.95)
  })
})

describe('processors', () => {
  it('work on as many things at once as there are, in the order in which they came', () => {
    const loop = new EventLoop()
    const processors = new Processors(loop, 2)
    const ended: string[] = []
    for (const [name, ms] of [
      ['a', 5],
      ['b', 1],
      ['c', 1],
      ['d', 9],
    ] as const)
      processors.work(ms, () => ended.push(`${name} ${loop.now}`))
    loop.runUntil(100)
    expect(ended).toEqual(['b 1', 'c 2', 'a 5', 'd 11'])
    expect(processors.worked).toBe(16)
  })

  it('take random numbers that are spread evenly', () => {
    const random = randomOf(7)
    const all = Array.from({ length: 10_000 }, random)
    expect(Math.abs(all.reduce((sum, value) => sum + value, 0) / all.length - 0.5)).toBeLessThan(0.01)
  })
})
