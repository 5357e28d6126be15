/** Names speak the field's language: `npm run check:words`, shown that it can see. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from './tree.ts'

const planted = mkdtempSync(join(realpathSync(tmpdir()), 'varve-words-'))
afterAll(() => rmSync(planted, { recursive: true }))

function check(...paths: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [join(root, 'scripts/words.mjs'), ...paths], { encoding: 'utf8' })
}

function plant(name: string, text: string): string {
  mkdirSync(planted, { recursive: true })
  const path = join(planted, name)
  writeFileSync(path, text)
  return path
}

it.each([
  ['a variable', 'variable.ts', 'export const saidLater = 1\n', '"said" in saidLater'],
  ['a type', 'type.ts', 'export type DoorOptions = { readonly a: 1 }\n', '"door" in DoorOptions'],
  ['a member', 'member.ts', 'export interface One { readonly askedFor: string }\n', '"asked" in askedFor'],
  [
    'a private field',
    'private.ts',
    'export class One { readonly #crew = 1; get one() { return this.#crew } }\n',
    '"crew"',
  ],
  ['a script', 'script.mjs', 'export const desk = 1\n', '"desk" in desk'],
  ['the name of a file', 'nobody-home.ts', 'export const one = 1\n', '"nobody" in nobody-home.ts'],
  ['a heading', 'page.md', '# What the guests said\n', '"guests"'],
])('sees a private word in %s', (_, name, text, finding) => {
  const { status, stderr } = check(plant(name, text))
  expect(stderr).toContain(finding)
  expect(status).toBe(1)
})

it('leaves prose, texts and longer words alone', () => {
  const code = "/** Nobody said so. */\nexport const masking = 'asked at the door'\n"
  expect(check(plant('plain.ts', code), plant('prose.md', '# A page\n\nNobody asked.\n'))).toMatchObject({ status: 0 })
})
