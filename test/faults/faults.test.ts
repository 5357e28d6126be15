/**
 * The short forms: each suite is a program of its own, which is run here with few rounds, where the machine allows. Where
 * it does not the reason is printed, and with VARVE_FAULTS=required that is a failure.
 */
import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { programPath } from './machine/child.ts'

interface ShortForm {
  readonly promise: string
  readonly program: string
  readonly args: readonly string[]
}

const shortForms: readonly ShortForm[] = [
  {
    promise: 'loses nothing acknowledged when the power is cut',
    program: 'power/main.js',
    args: ['--cuts', '6', '--on', 'ext4', '--on', 'xfs', '--on', 'xfs+ext4'],
  },
  {
    promise: 'would be caught without the sync of a blob',
    program: 'power/main.js',
    args: ['--bug', 'no-blob-sync', '--on', 'ext4', '--cuts', '60'],
  },
  {
    promise: 'comes back from a kill at any call of the system',
    program: 'syscalls/main.js',
    args: ['--kills', '2'],
  },
  {
    promise: 'stops in time when its disk fails',
    program: 'device/main.js',
    args: ['--rounds', '2'],
  },
  {
    promise: 'loses nothing when room runs out, and goes on when there is room again',
    program: 'full/main.js',
    args: ['few bytes left, tmpfs', 'files of 1 KiB at most'].flatMap((name) => ['--shortage', name]),
  },
  {
    promise: 'has one owner, however it is opened',
    program: 'lock/main.js',
    args: ['--rounds', '2'],
  },
]

describe('a store that meets a real fault', () => {
  it.for(shortForms)('$promise', { timeout: 240_000 }, async ({ program, args }, { skip }) => {
    const { code, output } = await runProgram(program, args)
    console.log(output.trim())
    if (code === 0 && output.includes(': not run, as ')) skip(output)
    expect(code, output).toBe(0)
  })
})

function runProgram(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [programPath(program), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, output }))
  })
}
