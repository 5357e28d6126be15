/** Runs the commands of a page on a machine of its own. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { allCommands, type ShownCommand } from '../blocks.ts'
import { excuseOfCommand, isForm, withEnd } from '../excuses.ts'
import { type Machine, type Replaced, runPage, standIn, type Step } from './run-page.ts'
import { replacedOnAll, type Walk, walks } from './walks.ts'

const isRunbook = (page: string): boolean => page.startsWith('docs/runbooks/')

/** The commands that are run, by page, and no command of a runbook: `test/deploy/runbooks.test.ts` runs those. */
export function commandsToRun(): ReadonlyMap<string, readonly ShownCommand[]> {
  const commands = allCommands().filter(
    (one) => !isRunbook(one.page) && !isForm(one) && excuseOfCommand(one) === undefined,
  )
  const byPage = new Map<string, ShownCommand[]>()
  for (const one of commands) byPage.set(one.page, [...(byPage.get(one.page) ?? []), one])
  return byPage
}

export const placeOf = (page: string): Walk['place'] => walks[page]?.place ?? 'store'

export const lacks = (page: string): boolean => {
  const needs = walks[page]?.needs
  return needs !== undefined && spawnSync(needs, ['--version']).error !== undefined
}

const hasAws = spawnSync('aws', ['--version']).status === 0

interface Given {
  readonly commands: readonly ShownCommand[]
  /** Path of the command, a script for Node. */
  readonly varve: string
  /** Places what the commands find. */
  readonly prepare: (work: string) => void
  readonly env?: Readonly<Record<string, string>>
  readonly replaced?: readonly Replaced[]
  /** The page is walked in a clone, and what it needs elsewhere is not done. */
  readonly isClone?: boolean
}

function walkOf(page: string, isClone: boolean) {
  const { before, steps = [], replaced = [], env = {} }: Walk = isClone ? {} : (walks[page] ?? {})
  return { before: before === undefined ? {} : { before }, steps, replaced, env }
}

/** A command with what differs for it. */
function stepOf(command: ShownCommand, steps: NonNullable<Walk['steps']>): Step {
  const special = steps.find(({ starts }) => withEnd(command.text).startsWith(starts))
  return { ...command, ...special }
}

/** @throws the AssertionError of a command that ended in another way than the page says, with what all of them printed */
export async function walk(
  page: string,
  { commands, varve, prepare, env = {}, replaced = [], isClone = false }: Given,
): Promise<void> {
  const { before, steps, replaced: own, env: ownEnv } = walkOf(page, isClone)
  const root = mkdtempSync(join(tmpdir(), 'varve-page-'))
  mkdirSync(join(root, 'work'))
  prepare(join(root, 'work'))
  const isInstalled = !isClone && placeOf(page) === 'project'
  const machine: Machine = {
    root,
    programs: {
      varve: isInstalled ? join(root, 'work/node_modules/varve/bin/varve.js') : varve,
      ...(!hasAws && { aws: standIn }),
    },
    env: { ...env, ...ownEnv },
    replaced: [...replacedOnAll, ...replaced, ...own],
  }
  const first: Step = { page, block: 0, text: 'true', ...before }
  const { outcomes, printed } = await runPage([first, ...commands.map((one) => stepOf(one, steps))], machine)
  const wrong = outcomes.filter(({ status, wanted }) => status !== wanted)
  expect(wrong, printed).toEqual([])
  expect(printed).not.toMatch(/MaxListenersExceeded|UnhandledPromise/)
  rmSync(root, { recursive: true, force: true })
}

export const copyStore =
  (fixture: string) =>
  (work: string): void =>
    cpSync(fixture, join(work, 'data'), { recursive: true })
