/** What a bench runs: contenders, workloads, and how often. */
import { floorTitles } from './floors.ts'
import { type Layout, layouts } from './layouts.ts'
import { isMeantBy, type Rival, takesPart } from '../rivals/rival.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'
import { scaled, type Workload } from '../workloads/workload.ts'
import { UsageError } from '../basics/usage-error.ts'

export interface PlanOptions {
  /** Names. Default: all but those that take part only when named. */
  readonly layouts?: readonly string[]
  /** Names, or beginnings of names that end in `*`. Default: all. */
  readonly only?: readonly string[]
  /** Replaces the workloads that come with Varve. */
  readonly own?: Workload
  readonly rounds: number
  readonly scale: number
  readonly seed: number
  readonly rivals?: readonly Rival[]
  /** Without floors there are no ratios, and the bench is faster. */
  readonly floors: boolean
}

export interface Plan {
  readonly layouts: readonly Layout[]
  readonly rivals: readonly Rival[]
  readonly workloads: readonly Workload[]
  readonly rounds: number
  readonly scale: number
  readonly seed: number
}

/** @throws UsageError for an unknown layout or workload */
export function planOf(options: PlanOptions): Plan {
  const { rounds, scale, seed, rivals = [] } = options
  const chosen = chooseLayouts(options.layouts)
  const wanted = options.own === undefined ? chooseWorkloads(options.only) : [options.own]
  const workloads = wanted.map((workload) => scaled(options.floors ? workload : { ...workload, floors: [] }, scale))
  return { layouts: chosen, rivals, workloads, rounds, scale, seed }
}

function chooseLayouts(names: readonly string[] | undefined): readonly Layout[] {
  if (names === undefined) return layouts.filter(({ onlyNamed = false }) => !onlyNamed)
  return [...new Set(names)].map((name) => {
    const found = layouts.find((layout) => layout.name === name)
    if (found === undefined) throw new UsageError(`There is no layout ${name}: ${listOf(layouts)}.`)
    return found
  })
}

function chooseWorkloads(patterns: readonly string[] | undefined): readonly Workload[] {
  if (patterns === undefined) return builtInWorkloads
  for (const pattern of patterns) {
    if (builtInWorkloads.some(({ name }) => isMeantBy(name, pattern))) continue
    throw new UsageError(`There is no workload ${pattern}: ${listOf(builtInWorkloads)}.`)
  }
  return builtInWorkloads.filter(({ name }) => patterns.some((pattern) => isMeantBy(name, pattern)))
}

const listOf = (named: readonly { readonly name: string }[]): string => named.map(({ name }) => name).join(', ')

/** The contenders that run a workload: layouts, rivals and floors, without those that cannot run it. */
export function contendersFor({ layouts: chosen, rivals }: Plan, workload: Workload): ContenderName[] {
  const lasting = workload.kind === 'special' && workload.lasting === true
  return [
    ...chosen
      .filter((layout) => layout.lasting || !lasting)
      .map(({ name, about }) => ({ kind: 'layout' as const, name, about })),
    ...rivals
      .filter((rival) => takesPart(rival, workload))
      .map((rival) => ({ kind: 'rival' as const, name: rival.name, about: rival.about, rival })),
    ...workload.floors.map((name) => ({ kind: 'floor' as const, name, about: floorTitles[name] ?? name })),
  ]
}

/** A layout of Varve, another store, or what the machine itself can do. */
export const contenderKinds = ['layout', 'rival', 'floor'] as const
export type ContenderKind = (typeof contenderKinds)[number]

export interface ContenderName {
  readonly kind: ContenderKind
  readonly name: string
  readonly about: string
  readonly rival?: Rival
}
