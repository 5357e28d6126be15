/** Programs that run beside a session, such as a server that the client is part of. */
import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'

/** @throws Error with its output, if the program ends before it is ready, or is not ready after half a minute */
export async function beside<T>(
  { command, args, ready, ...options }: SpawnOptions & Beside,
  work: () => Promise<T>,
): Promise<T> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'close')
  try {
    for (let waited = 0; !(await ready()); waited += 100) {
      if (child.exitCode !== null || waited > 30_000) throw new Error(`${command} did not become ready:\n${output}`)
      await after(100)
    }
    return await work()
  } finally {
    child.kill('SIGINT')
    await ended
  }
}

export interface Beside {
  readonly command: string
  readonly args: readonly string[]
  ready(): Promise<boolean>
}
