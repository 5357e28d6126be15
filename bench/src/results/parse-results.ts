/** Parses results from a user's file, which may come from another release, be cut short, or hold something else. */
import { isObject, parseJson, wrong } from '../basics/json-fields.ts'
import { contenderKinds } from '../plan/plan.ts'
import { units } from '../workloads/workload.ts'
import { type BenchResults, schema } from './results.ts'

/** Checks every field of the results that is read anywhere. @throws UsageError */
export function parseResults(name: string, text: string): BenchResults {
  const value = parseJson(name, text)
  const found = isObject(value) ? value['schema'] : undefined
  if (typeof found !== 'string' || !found.startsWith('varve-bench/')) {
    throw wrong(name, 'does not hold results of a bench')
  }
  if (found !== schema) throw wrong(name, `holds results as ${found}; this release reads ${schema}`)
  if (!isResults(value)) throw wrong(name, 'is damaged: parts of the results are missing')
  return value
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isList = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)

const has = (value: unknown, checks: Readonly<Record<string, (field: unknown) => boolean>>): boolean =>
  isObject(value) && Object.entries(checks).every(([name, is]) => is(value[name]))

const isSpread = (value: unknown) => has(value, { median: isNumber, min: isNumber, max: isNumber })
const isUnit = (value: unknown) => units.some((unit) => unit === value)

function isResults(value: unknown): value is BenchResults {
  return has(value, {
    date: isText,
    varve: isText,
    node: isText,
    machine: (machine) => has(machine, { platform: isText, processors: isNumber, model: isText, memory: isNumber }),
    options: (options) =>
      has(options, { rounds: isNumber, scale: isNumber, seed: isNumber, smoke: (is) => typeof is === 'boolean' }),
    workloads: (workloads) => isList(workloads, isWorkloadResult),
  })
}

const isWorkloadResult = (value: unknown): boolean =>
  has(value, {
    workload: (workload) =>
      has(workload, { name: isText, title: isText, unit: isUnit, floors: (list) => isList(list, isText) }),
    contenders: (contenders) => isList(contenders, isContender),
    leftOut: (list) => list === undefined || isList(list, (one) => has(one, { name: isText, reason: isText })),
  })

const isContender = (value: unknown): boolean =>
  has(value, {
    kind: (kind) => contenderKinds.some((known) => known === kind),
    name: isText,
    about: isText,
    rounds: (rounds) => isList(rounds, isObject),
    ratios: (ratios) => isObject(ratios) && Object.values(ratios).every(isSpread),
    figures: (figures) =>
      has(figures, {
        rate: isSpread,
        p50: isSpread,
        p95: isSpread,
        p99: isSpread,
        max: isSpread,
        cpuMicros: isSpread,
        peakMemory: isSpread,
      }),
  })
