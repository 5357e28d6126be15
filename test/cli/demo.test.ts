/** `varve demo`: what it prints can be pasted, and leads back. */
import { describe, expect, it } from 'vitest'
import { jsonLines, scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()

describe('varve demo', () => {
  it('makes a store whose mass deletion can be found and undone with the lines that it prints', async () => {
    const dir = next()
    const made = await varve(['demo', dir])
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const lines = made.stdout.split('\n').filter((line) => line.startsWith('  varve '))
    const [log = [], ls = [], history = [], undo = []] = lines.map((line) => line.trim().split(' ').slice(1))
    expect((await varve(log)).stdout.match(/Tidy agent/g)).toHaveLength(48)
    expect((await varve([...ls, '-r'])).stdout).toContain('lighthouse/04.svg')
    expect((await varve(history)).stdout).toMatch(/Ada[^]*Grace[^]*Tidy agent/)
    expect((await varve(['ls', 's3://photos', '-r', '--dir', dir])).stdout).toBe('')
    expect(await varve([...undo, '--yes'])).toMatchObject({ status: 0 })
    const back = jsonLines((await varve(['ls', 's3://photos', '-r', '--json', '--dir', dir])).stdout)
    expect(back).toHaveLength(48)
    expect(await varve(['verify', '--dir', dir])).toMatchObject({ status: 0 })
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
