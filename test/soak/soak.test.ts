/** The soak in its short form, and what would make a long one red. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { unmeasurable } from '../bounds/support/process-figures.ts'
import { bodyBytes, isBody } from './bodies.ts'
import { type Point, slopePerMinute } from './flatness.ts'
import { Cell, VersionedCell } from './oracle.ts'
import { randomFrom } from '../support/random.ts'

const main = fileURLToPath(new URL('../dist/soak/main.js', import.meta.url))

describe('a short soak', () => {
  it('loses nothing and leaves nothing behind, whatever fails', { timeout: 120_000 }, async () => {
    if (unmeasurable !== undefined) return console.log(`Skipped: ${unmeasurable}`)
    const directory = await mkdtemp(join(tmpdir(), 'varve-soak-'))
    const child = spawn(process.execPath, [main, '--minutes', '0.12', '--clients', '4', '--directory', directory], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    const status = await new Promise((resolve) => child.once('close', resolve))
    expect(status, output).toBe(0)
    expect(output).toContain('kill -9')
    await rm(directory, { recursive: true })
  })
})

describe('a slope', () => {
  /** Half an hour of samples of a figure that is noisy and starts anew with every life. */
  function samples(grows: number): Point[] {
    const random = randomFrom(7)
    const points: Point[] = []
    for (const [life, minutes] of [4, 5, 6, 15].entries()) {
      for (let age = 0; age < minutes * 60; age += 10) {
        const warm = 60 * Math.min(1, age / 60)
        points.push({ life, age, value: 100 + life * 10 + warm + (age / 60) * grows + random.next() * 30 })
      }
    }
    return points
  }

  it('is found in noise, across lives and after each has warmed up', () => {
    for (const grows of [0, 0.5, 3]) expect(Math.abs(slopePerMinute(samples(grows), 75) - grows)).toBeLessThan(0.5)
  })

  it('is none where there is nothing to compare', () => {
    expect(slopePerMinute([], 0)).toBe(0)
    expect(slopePerMinute([{ life: 0, age: 5, value: 1 }], 10)).toBe(0)
  })
})

describe('the oracle', () => {
  const [one, two] = [
    { number: 1, size: 10 },
    { number: 2, size: 10 },
  ]

  it('detects a lost write, and one that was never requested', () => {
    const cell = new Cell('k')
    cell.acknowledged(one)
    expect(cell.found(undefined)).toBe(false)
    expect(cell.found(two)).toBe(false)
    expect(cell.found(one)).toBe(true)
  })

  it('takes either of what may have happened, and from then on that alone', () => {
    for (const found of [one, two, undefined]) {
      const cell = new Cell('k')
      cell.acknowledged(one)
      cell.requested(two)
      cell.requested(undefined)
      expect(cell.inDoubt).toBe(true)
      expect(cell.found(found)).toBe(true)
      expect(cell.found(found === one ? two : one)).toBe(false)
    }
  })

  it('detects a lost version, and one that was never requested', () => {
    const cell = new VersionedCell('k')
    cell.versions.set('a', one)
    expect(cell.found(['a'], new Map())).toEqual([])
    expect(cell.found(['a', 'b'], new Map())).toHaveLength(1)
    expect(cell.found(['a', 'b'], new Map([['b', two]]))).toEqual([])
    expect(cell.found(['a'], new Map())).toHaveLength(1)
    cell.maybeRemoved.add('a')
    expect(cell.found([], new Map())).toEqual([])
    expect(cell.versions.size).toBe(0)
  })
})

describe('a body', () => {
  it('is distinguished from every other, at any offset', () => {
    const body = { number: 3, size: 3_000_000 }
    expect(isBody(body, bodyBytes(body))).toBe(true)
    expect(isBody(body, bodyBytes(body).subarray(1_500_000, 1_600_000), 1_500_000)).toBe(true)
    expect(isBody(body, bodyBytes(body).subarray(5, 20), 5)).toBe(true)
    expect(isBody(body, bodyBytes({ ...body, number: 4 }))).toBe(false)
    expect(isBody(body, bodyBytes(body, 0, 100), 1)).toBe(false)
    expect(isBody({ number: 1, size: 4 }, bodyBytes({ number: 1, size: 4 }))).toBe(true)
  })
})
