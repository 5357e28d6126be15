/** Completion in a real bash, from the commands that there are; and the examples of their help. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { program, withAllBelow } from '../program.ts'
import { varve } from '../run-main.fixture.ts'
import type { CliContext } from '../support/context.ts'
import { examples } from '../support/examples.ts'
import { bashScript } from './bash-script.ts'
import { commandTree } from './command-tree.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const run = promisify(execFile)
const fresh = (): Command => program({} as CliContext, '1.0.0', () => undefined)
const tree = commandTree(fresh())

/** What bash offers for the last word. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const script = `${bashScript(tree)}
varve() { printf '%s\\n' '2026-08-01T00:00:00.000Z  photos' '2026-08-01T00:00:00.000Z  papers'; }
COMP_WORDS=(varve "$@"); COMP_CWORD=$#
_varve
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words])
  return stdout.split('\n').filter((line) => line !== '')
}

const hasBash = existsSync('/bin/bash') || existsSync('/usr/bin/bash')

// On Windows there may be none.
describe.skipIf(!hasBash)('bash completes', () => {
  it.each([
    [['se'], ['serve']],
    [
      ['keys', ''],
      ['create', 'add', 'list', 'rotate'],
    ],
    [['log', '--fo'], ['--follow']],
    [
      ['verify', '--blobs', ''],
      ['read', 'present', 'skip'],
    ],
    [['verify', '--blobs', 'p'], ['present']],
    [['--ver'], ['--version']],
    [['ls', 's3', ':', '//ph'], ['//photos/']],
    [['completion', '--h'], ['--help']],
    // Files, which bash completes by itself.
    [['put', ''], []],
    [['log', '--dir', ''], []],
    [['ls', 's3', ':', '//photos/a'], []],
    // The value of an option is no command.
    [['log', '--by', 'keys', '--ty'], ['--type']],
  ])('%j to %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })
})

describe('the scripts', () => {
  it('name every command and long option', () => {
    const scripts = [bashScript(tree), zshScript(tree), fishScript(tree)]
    for (const [path, command] of withAllBelow(fresh())) {
      for (const script of scripts) expect(script).toContain(path.split(' ').at(-1))
      for (const { long } of command.options) {
        for (const script of scripts) expect(script).toContain(long?.slice(2))
      }
    }
  })

  it('are printed by the command', async () => {
    expect(await varve(['completion', 'fish'])).toMatchObject({ status: 0, stdout: fishScript(tree) })
    expect(await varve(['completion', 'tcsh'])).toMatchObject({ status: 2 })
  })
})

describe('the help', () => {
  const leaves = withAllBelow(fresh()).filter(([, command]) => command.commands.length === 0)

  it('of every command has examples, and there are no others', () => {
    expect(Object.keys(examples).toSorted()).toEqual(leaves.map(([path]) => path).toSorted())
  })

  it.each(Object.entries(examples).flatMap(([path, all]) => all.map((example) => [path, example] as const)))(
    'of %s shows an example that parses: %s',
    async (path, example) => {
      const whole = fresh()
      const ran: string[] = []
      for (const [name, command] of withAllBelow(whole))
        if (command.commands.length === 0) command.action(() => void ran.push(name))
      await whole.parseAsync(wordsOf(example), { from: 'user' })
      expect(ran).toEqual([path])
    },
  )
})

/** The words of an example after the name of the program, up to what a shell does with the output. */
function wordsOf(example: string): readonly string[] {
  const [, call = ''] = /varve ([^>)]*)/.exec(example) ?? []
  return [...call.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}
