/** Runs of the writer under strace: to count its calls of the system, and to kill it as it makes one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Expectations } from '../load/audit.ts'
import type { Greeting, Place, Claim } from '../load/load.ts'
import { Child } from '../machine/child.ts'

/** What changes a file system, or makes a change last. */
export const calls = ['fsync', 'fdatasync', 'rename', 'unlink', 'pwrite64', 'write', 'openat', 'mkdir'] as const
export type Call = (typeof calls)[number]

export interface Run extends Place {
  readonly expectations: Expectations
  /** The first number of the load. */
  readonly first: number
}

/** Enough for several changes of the log at the size of the writer's buffers. */
const deeds = 48

/** Which threads are watched: the one that works with files, or (which takes far longer) all of them. */
export type Watched = 'files' | 'all'

/**
 * How often each call is made on files by the thread that makes it most often, from the opening of the store to the end of
 * the load: strace counts per thread.
 */
export async function countCalls(run: Run, watched: Watched, trace: string): Promise<ReadonlyMap<Call, number>> {
  const writer = await startUnder(watched, ['-e', `trace=${calls.join(',')}`, '-o', trace])
  const { code, stderr } = await work(writer, run)
  if (code !== 0) throw new Error(`The writer failed under strace: ${stderr}`)
  const made = (await readFile(trace, 'utf8')).split('\n')
  return new Map(calls.map((call) => [call, mostOfOneThread(made.filter((line) => line.includes(`${call}(`)))]))
}

/** Lines begin with the thread where there are several. */
function mostOfOneThread(lines: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const thread = /^\d+ /.exec(line)?.[0] ?? ''
    counts.set(thread, (counts.get(thread) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

export interface Boundary {
  readonly call: Call
  readonly k: number
  readonly watched: Watched
}

/** Kills the writer as one of its threads is about to make a call for the k-th time. False when the load ended first. */
export async function killAt({ call, k, watched }: Boundary, run: Run): Promise<boolean> {
  const inject = `inject=${call}:signal=SIGKILL:when=${k}`
  const writer = await startUnder(watched, ['-e', `trace=${call}`, '-e', inject, '-o', '/dev/null'])
  const { code, signal, stderr } = await work(writer, run)
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The writer failed under strace: ${stderr}`)
  return signal === 'SIGKILL'
}

type Writer = Child<Claim | Greeting>

/**
 * Attached before it is given its orders, so that what Node does to start counts for nothing. Not with `--seccomp-bpf`,
 * which is faster: strace then injects no signals.
 */
async function startUnder(watched: Watched, args: readonly string[]): Promise<Writer> {
  // strace counts per thread: with one thread for files the k-th call is the k-th.
  const writer: Writer = new Child('load/writer.js', { UV_THREADPOOL_SIZE: '1' })
  const greeting = await writer.line((line) => 'fileThread' in line)
  const whom = watched === 'files' && 'fileThread' in greeting ? ['-p', greeting.fileThread] : ['-f', '-p', writer.pid]
  const strace = spawn('strace', [...whom.map(String), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let claim = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (claim += text))
  while (!claim.includes(' attached')) {
    if (strace.exitCode !== null) throw new Error(`strace cannot attach: ${claim}`)
    await Promise.race([once(strace.stderr, 'data'), once(strace, 'exit')])
  }
  return writer
}

function work(writer: Writer, { directory, layout, expectations, first }: Run) {
  writer.hear((line) => {
    if ('what' in line) expectations.hear(line)
  })
  writer.report({ directory, layout, first, count: deeds })
  return writer.ended
}
