/** The output for valid and invalid command lines. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { varve as varveHere } from '#varve/cli/run-main.fixture'
import { scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()

const commands = 'serve log history ls cat stat mb rb put get cp rm verify rebuild migrate keys bench'.split(' ')

describe('varve', () => {
  it('helps, with every command and every exit status', async () => {
    const { status, stdout } = await varve(['--help'])
    expect(status).toBe(0)
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7]) expect(stdout).toMatch(new RegExp(`^  ${code} `, 'm'))
  })

  it.each(commands)('helps with %s', async (command) => {
    expect((await varveHere([command, '--help'])).stdout).toContain(`Usage: varve ${command}`)
  })

  it('knows its version', async () => {
    const manifest = await readFile(new URL('../../packages/varve/package.json', import.meta.url), 'utf8')
    const { version } = JSON.parse(manifest) as { version: string }
    expect(await varve(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` })
  })

  it.each([
    [[], 'Commands:\n  serve'],
    [['dance'], "unknown command 'dance'"],
    [['log', '--loud'], "unknown option '--loud'"],
    [['log', '--from', 'x'], 'whole number'],
    [['ls', 'photos'], 'Expected s3://bucket'],
    [['ls', 's3://'], 'Expected s3://bucket'],
    [['ls', '--versions'], '--versions needs s3://bucket'],
    [['ls', '--at', 'the day before'], 'A moment is'],
    [['cat', 's3://photos'], 'Expected s3://bucket/key'],
    [['cat'], "missing required argument 's3-uri'"],
    [['history', 's3://photos/'], 'Expected s3://bucket/key'],
    [['migrate', '--to'], "option '--to <place>' argument missing"],
    [['verify', '--blobs', 'eat'], 'Allowed choices are read, present, skip'],
    [['serve', '--port', '65536'], 'from 0 to 65535'],
    [['serve', '--dialect', 'klingon'], 'Allowed choices are neutral, aws'],
    [['serve', '--retention', 'forever'], 'A duration is'],
    [['serve', 'here', '--dir', 'there'], 'Name the directory once'],
    [['log', '--dir', ''], 'must not be empty'],
  ])('refuses %j with status 2 and a reason', async (args, why) => {
    const { status, stdout, stderr } = await varveHere(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).toContain('varve --help')
  })

  it('reports the same in JSON', async () => {
    const { stderr } = await varve(['dance', '--json'])
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'UsageError', message: "unknown command 'dance'" } })
  })

  it('takes the directory from the environment, an empty variable for none, and flags before both', async () => {
    const [fromEnv, fromFlag] = [next(), next()]
    const requested = async (args: string[], dir: string) => (await varve(['log', ...args], { VARVE_DIR: dir })).stderr
    expect(await requested([], fromEnv)).toContain(`${fromEnv}: `)
    expect(await requested(['--dir', fromFlag], fromEnv)).toContain(`${fromFlag}: `)
    expect(await requested([], '')).toContain('./varve-data: ')
  })

  it('refuses a bad variable as it refuses a bad flag', async () => {
    expect(await varve(['serve', next()], { VARVE_PORT: 'http' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('VARVE_PORT') as string,
    })
  })
})
