import { describe, expect, it } from 'vitest'
import { jsonLogger } from './json-logger.ts'
import { LineBatch } from './line-batch.ts'

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** What it passed on, and a hand that holds it back. */
function collected() {
  const passed: string[] = []
  const held: (() => void)[] = []
  const batch = new LineBatch((lines) => {
    passed.push(lines)
    return new Promise((resolve) => held.push(resolve))
  }, 1)
  return { batch, passed, release: () => held.splice(0).forEach((go) => go()) }
}

describe('a batch of lines', () => {
  it('passes on every line with its level and the time of its call', async () => {
    const { batch, passed, release } = collected()
    const logger = jsonLogger(batch.write)
    const before = Date.now()
    for (let at = 0; at < 200; at++) logger[at % 2 === 0 ? 'info' : 'error']({ at, absent: undefined, gone: true })
    const after = Date.now()
    await expect.poll(() => passed.length).toBe(1)
    const lines = linesOf(passed.join(''))
    expect(lines.map(({ at }) => at)).toEqual(Array.from({ length: 200 }, (_, at) => at))
    expect(lines[1]).toEqual({ level: 'error', time: expect.any(String) as string, at: 1, gone: true })
    for (const { time } of lines) {
      expect(Date.parse(String(time))).toBeGreaterThanOrEqual(before)
      expect(Date.parse(String(time))).toBeLessThanOrEqual(after)
    }
    release()
    await batch.end()
  })

  it('takes no line below its level', async () => {
    const { batch, passed, release } = collected()
    const logger = jsonLogger(batch.write, 'error')
    logger.info({ at: 1 })
    logger.warn({ at: 2 })
    logger.error({ at: 3 })
    void batch.end()
    await expect.poll(() => passed.length).toBe(1)
    expect(linesOf(passed[0] ?? '').map(({ at }) => at)).toEqual([3])
    release()
  })

  it('drops lines that a slow reader has no room for, and counts them', async () => {
    const { batch, passed, release } = collected()
    const logger = jsonLogger(batch.write)
    const count = 10_000
    logger.info({ text: 'first' })
    await expect.poll(() => passed.length).toBe(1)
    for (let at = 0; at < count; at++) logger.info({ text: 'x'.repeat(1000) })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(passed).toHaveLength(1)
    release()
    await expect.poll(() => passed.length).toBe(2)
    expect(passed[1]?.length).toBeLessThan(4.1 * 2 ** 20)
    const lines = linesOf(passed[1] ?? '')
    const { dropped } = lines.at(-1) ?? {}
    expect(lines.length - 1 + Number(dropped)).toBe(count)
    release()
    await batch.end()
  })
})
