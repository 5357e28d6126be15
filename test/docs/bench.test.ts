/** docs/bench.md names every workload and floor there is, and its own workload is one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { floorTitles } from '#bench/plan/floors'
import { layouts } from '#bench/plan/layouts'
import { ownWorkload, parseOwnWorkload } from '#bench/plan/own-workload'
import { parseRivals } from '#bench/rivals/parse-rivals'
import { builtInWorkloads } from '#bench/workloads/built-in'
import { root } from '../tidy/tree.ts'

const page = readFileSync(join(root, 'docs/bench.md'), 'utf8')

describe('docs/bench.md', () => {
  it('names every workload, floor and layout of its own', () => {
    const named = layouts.filter(({ onlyNamed = false }) => onlyNamed)
    const names = [...builtInWorkloads, ...named].map(({ name }) => name).concat(Object.keys(floorTitles))
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('shows a list of rivals that is one', () => {
    const [, json = ''] = /```json\n(\[[\s\S]*?)```/.exec(page) ?? []
    expect(JSON.stringify(parseRivals('rivals.json', json))).toMatch(/other-server.*mine/)
  })

  it('shows a workload that is one, and knows every field', () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const { workload } = parseOwnWorkload(json)
    expect(workload).toMatchObject({ name: 'thumbnails', keys: 20_000, seconds: 5 })
    const fields = (() => {
      try {
        ownWorkload({ mix: { get: 1 }, none: 1 })
      } catch (error) {
        return (error as Error).message.replace(/^.*: /, '').replace('.', '').split(', ')
      }
      return []
    })()
    expect(fields.length).toBeGreaterThan(10)
    expect(fields.filter((field) => !page.includes(`| \`${field}\` |`))).toEqual([])
  })
})
