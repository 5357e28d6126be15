/** `npm run check` refuses a fast test file that became slow. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './tree.ts'

interface Time {
  readonly tier: string
  readonly seconds: number
}

const script: string = join(root, 'scripts/check-times.mjs')
const { overLimit } = (await import(script)) as { overLimit(times: Readonly<Record<string, Time>>): string[] }

const here = 'test/tidy/check-times.test.ts'

it('refuses a file of the fast tier over 20 s of processor time, and names it', () => {
  expect(overLimit({ [here]: { tier: 'fast', seconds: 20.1 } })).toEqual([
    `${here} used 20.1 s of processor time. The limit of the fast tier is 20 s.`,
  ])
})

it('accepts a file of the long tier, one at the limit, and one that is gone', () => {
  expect(overLimit({ [here]: { tier: 'long', seconds: 99 } })).toEqual([])
  expect(overLimit({ [here]: { tier: 'fast', seconds: 20 } })).toEqual([])
  expect(overLimit({ 'test/gone.test.ts': { tier: 'fast', seconds: 99 } })).toEqual([])
})
