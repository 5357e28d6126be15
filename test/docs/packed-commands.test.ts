/** The commands of the pages that install packages, in an empty project, from the packed tarballs. No registry has `varve` yet: its tarballs stand for it. */
import { transformSync } from '@swc/core'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import { makeFixtureStore } from './shell/fixture-store.ts'
import { commandsToRun, copyStore, lacks, placeOf, walk } from './shell/walk.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const varve = inject('varveCommand')
const pages = [...commandsToRun()].filter(([page]) => placeOf(page) === 'project')
const scratch = mkdtempSync(join(tmpdir(), 'varve-packed-commands-'))
const fixture = join(scratch, 'data')
let tarballs = ''

beforeAll(async () => {
  await makeFixtureStore(fixture)
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/pack.mjs', scratch, '--json'], { cwd: root })
  const packed = JSON.parse(stdout) as readonly { readonly name: string; readonly filename: string }[]
  const installed = packed.filter(({ name }) => name !== '@varve/console')
  tarballs = installed.map(({ filename }) => join(scratch, filename)).join(' ')
}, 300_000)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The program of the README, as JavaScript. */
function programOf(page: string): string {
  const text = blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map((block) => block.text)
    .join('\n')
  return transformSync(text, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }).code
}

function prepare(page: string, work: string): void {
  writeFileSync(join(work, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  if (page === 'README.md') writeFileSync(join(work, 'readme.mjs'), programOf(page))
  else if (page !== 'packages/varve/README.md') copyStore(fixture)(work)
}

describe('the commands of a page work in an empty project', { timeout: 600_000 }, () => {
  for (const [page, commands] of pages) {
    // The page has commands of that program.
    it.skipIf(lacks(page))(`${page}${lacks(page) ? ': a program that it needs is absent' : ''}`, async () => {
      await walk(page, {
        // Those of the README that build it are run in a clone.
        commands: page === 'README.md' ? commands.filter(({ text }) => text.startsWith('varve ')) : commands,
        varve,
        prepare: (work) => prepare(page, work),
        env: {
          npm_config_prefer_offline: 'true',
          npm_config_audit: 'false',
          npm_config_fund: 'false',
          npm_config_update_notifier: 'false',
        },
        replaced: [[/npm install varve((?: @varve\/\w+)*)/g, `npm install ${tarballs}`]],
      })
    })
  }
})
