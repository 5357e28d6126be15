/** A process that upgrades a store and is killed at random, again and again, until an upgrade comes to its end. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { UpgradeStage } from 'varve'
import type { Random } from '../support/random.ts'

export interface UpgradeLine {
  readonly stage: UpgradeStage
  readonly done: number
  readonly total: number
}

/** One run of the process, which a kill ended, or not. */
export interface UpgradeRun {
  readonly killed: boolean
  /** The first report of each stage, with the milliseconds since the start of the process. */
  readonly stages: ReadonlyMap<UpgradeStage, { readonly done: number; readonly atMs: number }>
  readonly ms: number
  readonly stderr: string
}

/** Tests run on the sources, and the programs they start are the built ones. */
const program = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../dist/migration/upgrade-process.js' : 'upgrade-process.js',
    import.meta.url,
  ),
)

/** A process that upgrades the store and writes its progress. */
export const startUpgrade = (directory: string): ChildProcessByStdio<null, Readable, Readable> =>
  spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'pipe'] })

const stages = ['events', 'views', 'bytes', 'check'] as const

interface KillPoint {
  readonly stage: UpgradeStage
  readonly share: number
  /** Milliseconds after the report of that stage: after the last one, the new log replaces the old one. */
  readonly delayMs: number
}

/**
 * Each point lies after the one before, because an upgrade continues. The first is early enough to find the process in
 * the middle of its work; the last may find the new log in its place.
 */
function killPoints(kills: number, random: Random): readonly KillPoint[] {
  return Array.from({ length: kills }, (_, i) => {
    const place = i === 0 ? 0 : ((i + random.next()) / kills) * stages.length
    const stage = stages[Math.min(Math.floor(place), stages.length - 1)] ?? 'check'
    return { stage, share: Math.min(place % 1, 0.9), delayMs: i === kills - 1 ? random.below(500) : random.below(20) }
  })
}

/** Kills up to `kills` processes, and lets the next one finish. A kill that comes too late is the last. Returns all runs. */
export async function upgradeWithKills(
  directory: string,
  kills: number,
  random: Random,
): Promise<readonly UpgradeRun[]> {
  const runs: UpgradeRun[] = []
  for (const point of [...killPoints(kills, random), undefined]) {
    const run = await upgradeOnce(directory, point)
    runs.push(run)
    if (!run.killed) break
  }
  return runs
}

async function upgradeOnce(directory: string, kill: KillPoint | undefined): Promise<UpgradeRun> {
  const began = performance.now()
  const child = startUpgrade(directory)
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_code, signal) => resolve(signal)))
  const seen = new Map<UpgradeStage, { readonly done: number; readonly atMs: number }>()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { stage, done, total } = JSON.parse(text) as UpgradeLine
    if (!seen.has(stage)) seen.set(stage, { done, atMs: performance.now() - began })
    const isThere =
      kill !== undefined && stages.indexOf(stage) >= stages.indexOf(kill.stage) && done >= kill.share * total
    if (isThere) setTimeout(() => child.kill('SIGKILL'), kill.delayMs)
  })
  const signal = await ended
  return { killed: signal === 'SIGKILL', stages: seen, ms: performance.now() - began, stderr }
}
