/** `varve demo`: what it prints can be pasted, and leads back. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { jsonLines, scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()

/** A line that was printed, as a shell runs it. */
const pasted = async (line: string): Promise<string> => (await promisify(execFile)('sh', ['-c', line])).stdout

describe('varve demo', () => {
  it('makes a store whose mass deletion can be found and undone with the lines that it prints', async () => {
    const dir = next()
    const made = await varve(['demo', dir])
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const lines = made.stdout.split('\n').filter((line) => /^ {2}[^# ]/.test(line))
    const [log = '', ls = '', history = '', undo = ''] = lines
    expect((await pasted(log)).match(/Tidy agent/g)).toHaveLength(48)
    expect(await pasted(`${ls} -r`)).toContain('lighthouse/04.svg')
    expect(await pasted(history)).toMatch(/Ada[^]*Grace[^]*Tidy agent/)
    expect((await varve(['ls', 's3://photos', '-r', '--dir', dir])).stdout).toBe('')
    await pasted(`${undo} --yes`)
    const back = jsonLines((await varve(['ls', 's3://photos', '-r', '--json', '--dir', dir])).stdout)
    expect(back).toHaveLength(48)
    expect(await varve(['verify', '--dir', dir])).toMatchObject({ status: 0 })
  })

  it('tells a story of the past week, in a store whose time goes on from it', async () => {
    const dir = next()
    await varve(['demo', dir])
    const times = jsonLines((await varve(['log', '--json', '--dir', dir])).stdout).map(({ at }) => Number(at))
    const daysAgo = (time = 0) => (Date.now() - time) / 86_400_000
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(daysAgo(times[0])).toBeGreaterThan(6)
    expect(daysAgo(times.at(-1))).toBeLessThan(1)
    const after = await varve(['mb', 's3://more', '--dir', dir])
    expect(after).toMatchObject({ status: 0, stderr: '' })
    const [last] = jsonLines((await varve(['log', '--json', '--bucket', 'more', '--dir', dir])).stdout)
    expect(daysAgo(Number(last?.['at']))).toBeLessThan(1 / 24)
    expect((await varve(['clock', 'show', '--json', '--dir', dir])).stdout).toContain('plausible')
  })

  it('tells programs what it made', async () => {
    const { stdout } = await varve(['demo', next(), '--json'])
    expect(jsonLines(stdout)).toMatchObject([{ kind: 'demo', objects: 50, deleted: 48 }])
  })

  it('leaves a store alone that is there', async () => {
    const dir = next()
    await varve(['demo', dir])
    const before = (await varve(['log', '--json', '--dir', dir])).stdout
    expect(await varve(['demo', dir])).toMatchObject({ status: 2 })
    expect((await varve(['log', '--json', '--dir', dir])).stdout).toBe(before)
  })
})
