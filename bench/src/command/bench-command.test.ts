/** The messages for wrong command lines. test/cli runs the valid ones. */
import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import type { Terminal } from './terminal.ts'
import { UsageError } from '../basics/usage-error.ts'
import { benchCommand } from './bench-command.ts'

const nothing = () => Promise.resolve()
const terminal: Terminal = {
  output: { line: nothing, json: nothing },
  progress: { show: () => undefined, clear: () => undefined },
  signal: new AbortController().signal,
  note: () => undefined,
}

/** The message that `main` would print, with status 2. */
async function requested(args: readonly string[]): Promise<string> {
  let complaint = ''
  const take = (text: string) => {
    complaint += text
  }
  const command = benchCommand(terminal, '0.0.0').exitOverride().configureOutput({ writeErr: take })
  try {
    await command.parseAsync(['--out', 'nowhere', ...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return complaint
    if (error instanceof UsageError) return error.message
    throw error
  }
  return 'nothing'
}

describe('varve bench', () => {
  it.each([
    [['--layout', 'tape'], 'There is no layout tape: level+files'],
    [['--only', 'dance'], 'There is no workload dance: put-4k-1'],
    [['--rounds', '0'], 'whole number from 1 to 1000'],
    [['--scale', '0'], 'above 0'],
    [['--mix', 'get'], 'names and shares'],
    [['--mix', 'dance=1'], 'mix.dance is none of'],
    [['--mix', 'get=1', '--seconds', 'x'], 'seconds is a number'],
    [['--keys', '7'], 'need --mix'],
    [['--workload', 'nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['--workload', 'a.json', '--mix', 'get=1'], 'cannot be used with'],
    [['--compare', 'one.json'], '--compare takes two files'],
    [['--compare', 'one.json', 'two.json'], 'one.json cannot be read (ENOENT)'],
    [['one.json'], 'need --compare'],
    [['--ledger', 'nowhere'], '--ledger needs a --label'],
    [['--ledger', 'nowhere', '--label', 'My Machine'], 'up to 32 lower-case letters'],
    [['--ledger', 'nowhere', '--label', 'epyc', '--commit', 'main'], 'the hexadecimal id of a commit'],
    [['--ledger', 'nowhere', '--label', 'epyc', '--smoke'], 'cannot be used with'],
    [['--label', 'epyc'], 'need --ledger'],
    [['--plot', 'nowhere'], 'nowhere holds no entries'],
    [['--plot', 'nowhere', '--ledger', 'nowhere'], 'cannot be used with'],
  ])('refuses %j with a reason', async (args, why) => {
    const complaint = await requested(args)
    expect(complaint).toContain(why)
  })
})
