/**
 * What people install, as they install it: the tarballs in an empty project, then a store opened from each
 * module system, with and without types. Nothing here sees the sources; `npm run test:rest` has built `dist` before.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPackageWithOptions, extractAll } from '@electron/asar'
import { build, type BuildFailure } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, consumers, unbundled } from './consumers.ts'
import { runtimes } from './runtimes.ts'
import { folderOf, jest, olderCompiler, recipes, tools } from './recipes.ts'

interface Packed {
  readonly name: string
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const bothForms = (name: string) => [
  'dist/index.js',
  'dist/index.cjs',
  `types/${name}/index.d.ts`,
  `types/${name}/index.d.cts`,
]
const entries: Readonly<Record<string, readonly string[]>> = {
  '@varve/core': bothForms('core'),
  '@varve/adapters': bothForms('adapters'),
  '@varve/http': bothForms('http'),
  varve: [...bothForms('varve'), 'dist/console/index.html'],
  '@varve/bench': ['dist/src/index.js', 'dist/src/index.d.ts'],
  '@varve/console': ['dist/index.html'],
}
const minutes = 60_000

/** One session with a store: what is put is what is got, by the API of the README. */
const session = `
  const store = await openStore(process.argv[2])
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a.txt', 'hello')
  const got = await store.objects.get('photos', 'a.txt')
  console.log(await got.text())
  // Long enough for a digest thread to start: the process must end all the same.
  for (let i = 0; i < 10; i++) await store.objects.put('photos', 'large', Buffer.alloc(1 << 20))
  await store.close()
`

// Each test starts processes of others, which take long on a busy machine.
describe('the packed packages', { timeout: 4 * minutes }, () => {
  let scratch: string
  let project: string
  let packed: readonly Packed[]

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'varve-packed-'))
    project = join(scratch, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }))
    const { stdout } = await run(process.execPath, ['scripts/pack.mjs', scratch, '--json'], root)
    packed = JSON.parse(stdout) as readonly Packed[]
    // Without the console: varve brings its own copy.
    const installed = packed.filter(({ name }) => name !== '@varve/console')
    const tarballs = installed.map(({ filename }) => join(scratch, filename))
    await npm(project, ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs])
    for (const tool of tools) linkTool(tool, project)
  }, 5 * minutes)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  it('are six, each with its build, and none with its tests or with maps of sources that are not there', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(Object.keys(entries).sort())
    for (const { name, files, unpackedSize } of packed) {
      const paths = files.map(({ path }) => path)
      expect(paths, name).toEqual(expect.arrayContaining(['package.json', 'LICENSE', ...(entries[name] ?? [])]))
      const unwanted = paths.filter((path) =>
        /\.(test|test-d|fixture)\.|\.tsbuildinfo$|\.map$|^src\/|^\.turbo/.test(path),
      )
      expect(unwanted, name).toEqual([])
      expect(unpackedSize, name).toBeLessThan(8.5 * 1024 * 1024)
    }
  })

  it('are not packed from a workspace, which holds the build for development', async () => {
    await expect(npm(root, ['pack', '--dry-run', '--workspace=varve'])).rejects.toMatchObject({
      stderr: expect.stringContaining('npm run pack -- DIR'),
    })
  })

  it('open a store by import', async () => {
    const script = `import { openStore } from 'varve'\n${session}`
    expect(await runScript('by-import.mjs', script)).toEqual({ stdout: 'hello\n', stderr: '' })
  })

  it('open a store by require', async () => {
    const script = `const { openStore } = require('varve')\nvoid (async () => {${session}})()`
    expect(await runScript('by-require.cjs', script)).toEqual({ stdout: 'hello\n', stderr: '' })
  })

  it.each(consumers)('compile and run in $title', async (consumer) => {
    expect(await compile(consumer)).toEqual({ stdout: '', stderr: '' })
    const compiled = join(project, 'compiled', consumer.output)
    const program = consumer.isBundled ? await bundle(compiled) : compiled
    const store = join(scratch, `store-of-${consumer.file}`)
    expect(await run(process.execPath, [program, store], project)).toEqual({ stdout: 'hello\ntrue\n', stderr: '' })
  })

  it('are checked by a compiler that sees their types', async () => {
    const source = `import { openStore } from 'varve'\nvoid openStore('x').then((store) => store.objects.put('a', 'b', 1))\n`
    const wrong = { ...consumers[0], file: 'wrong.mts', source } as Consumer
    await expect(compile(wrong)).rejects.toMatchObject({ stdout: expect.stringMatching(/^wrong\.mts.*error TS2345/) })
  })

  it('know the errors of one another, whichever copy of core made them', async () => {
    const script = `
      import { openStore } from 'varve'
      import { isStorageError } from '@varve/core'
      const store = await openStore(process.argv[2])
      const error = await store.objects.get('missing', 'a.txt').catch((reason) => reason)
      console.log(isStorageError(error, 'NoSuchBucket'))
      await store.close()
    `
    expect(await runScript('errors.mjs', script)).toEqual({ stdout: 'true\n', stderr: '' })
  })

  it('have one set of classes in a process, loaded by import and by require', async () => {
    const script = `
      import { createRequire } from 'node:module'
      import { StorageError } from 'varve'
      console.log(createRequire(import.meta.url)('varve').StorageError === StorageError)
    `
    expect(await runScript('one-set.mjs', script)).toEqual({ stdout: 'true\n', stderr: '' })
  })

  it('lock a directory for every copy in the process', async () => {
    const script = `
      import { createRequire } from 'node:module'
      import { openStore } from 'varve'
      const copy = createRequire(import.meta.url)('./node_modules/varve/dist/index.cjs')
      const store = await openStore(process.argv[2])
      const refused = await copy.openStore(process.argv[2]).catch((error) => error)
      console.log(refused.code, copy.openStore !== openStore)
      await store.close()
      await (await copy.openStore(process.argv[2])).close()
    `
    expect(await runScript('copies.mjs', script)).toEqual({ stdout: 'StoreLocked true\n', stderr: '' })
  })

  it('load the engine and the packages that it needs with the first store only', () => {
    for (const [entry, others] of [
      ['index', ['immer']],
      ['http', []],
      ['testing', []],
    ] as const) {
      const loaded = loadedBy(join(project, 'node_modules/varve/dist', `${entry}.js`))
      expect(loaded.packages, entry).toEqual(others)
      expect(loaded.bytes, entry).toBeLessThan(292 * 1024)
    }
  })

  it('bring the varve command', async () => {
    const { stdout } = await npm(project, ['exec', '--offline', '--', 'varve', '--help'])
    expect(stdout).toContain('serve')
    const { version } = JSON.parse(readFileSync(join(root, 'packages/varve/package.json'), 'utf8')) as {
      version: string
    }
    expect(await installedVarve('--version')).toMatchObject({
      stdout: `${version}\n`,
    })
  })

  it('start a server of several processes, with the console', async () => {
    const command = [
      'node_modules/varve/bin/varve.js',
      'serve',
      join(scratch, 'served'),
      '--workers',
      '2',
      '--port',
      '0',
    ]
    expect(await answersOf(command, project, ['/', '/-/console/'])).toEqual([403, 200])
  })

  it.each(recipes)('are bundled by $title', async ({ folder, build: building, app }) => {
    const place = consumerIn(folder, 'app')
    expect(await run(process.execPath, building, place)).toEqual({ stdout: '', stderr: '' })
    const answer = { stdout: 'a small cat 403 true\n', stderr: '' }
    expect(await run(process.execPath, [app, join(scratch, `store-of-${folder}`)], place)).toEqual(answer)
  })

  it('are tested with Jest, in CommonJS and in ES modules', async () => {
    const jestArguments = ['--experimental-vm-modules', jest, '--config', 'jest.config.json', '--runInBand']
    const { stderr } = await run(process.execPath, jestArguments, consumerIn('jest'))
    expect(stderr).toContain('Tests:       5 passed, 5 total')
  })

  it('are tested with Vitest', async () => {
    const place = consumerIn('vitest')
    writeFileSync(
      join(place, 'vitest.config.mjs'),
      'export default { test: { testTimeout: 60_000, hookTimeout: 60_000 } }\n',
    )
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', place]
    const { stdout } = await run(process.execPath, args, place)
    expect(stdout).toMatch(/Tests.* 2 passed/)
  })

  it('make esbuild name what stays outside, if it is given no recipe', async () => {
    const entry = join(consumerIn('app'), 'app.mjs')
    const building = build({
      entryPoints: [entry],
      outfile: join(project, 'naive.cjs'),
      bundle: true,
      platform: 'node',
      logLevel: 'silent',
    })
    const { errors } = (await building.catch((error: unknown) => error)) as BuildFailure
    const names = errors.map(({ text }) => /^Could not resolve "(.+)"$/.exec(text)?.[1] ?? text)
    expect(names.toSorted()).toEqual(['@aws-sdk/client-s3', 'libsql', 'lmdb'])
    const page = readFileSync(join(root, 'docs/bundling.md'), 'utf8')
    for (const name of names) expect(page).toContain(`'${name}'`)
  })

  for (const { name, command } of runtimes()) {
    // No test downloads a runtime.
    it.skipIf(command === undefined)(`run on ${name}${command === undefined ? ': absent' : ''}`, async () => {
      const [file = '', ...options] = command ?? []
      const app = join(consumerIn('app'), 'app.mjs')
      const store = join(scratch, `store-of-${name.replace(' ', '-')}`)
      expect(await run(file, [...options, app, store], project)).toMatchObject({ stdout: 'a small cat 403 true\n' })
    })
  }

  it('lie in an archive of Electron, all but the native parts', async () => {
    const place = consumerIn('electron')
    const builder = readFileSync(join(place, 'electron-builder.json'), 'utf8')
    const { asarUnpack } = JSON.parse(builder) as { readonly asarUnpack: readonly [string] }
    const app = join(scratch, 'app')
    cpSync(join(project, 'node_modules'), join(app, 'node_modules'), { recursive: true, filter: isInstalled })
    cpSync(join(place, 'store-process.cjs'), join(app, 'store-process.cjs'))
    const archive = join(scratch, 'app.asar')
    await createPackageWithOptions(app, archive, { unpack: asarUnpack[0] })
    const apart = readdirSync(`${archive}.unpacked`, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    expect(apart.length).toBeGreaterThan(1)
    expect(apart.filter(({ name }) => !name.endsWith('.node'))).toEqual([])
    extractAll(archive, join(scratch, 'installed'))
    const program = join(scratch, 'installed/store-process.cjs')
    const answer = await run(process.execPath, [program, join(scratch, 'store-of-electron')], scratch)
    expect(answer).toEqual({ stdout: 'water the plants\n', stderr: '' })
  })

  it('bring the bench with its own package alone', async () => {
    expect((await installedVarve('bench', '--help')).stdout).toContain('--rivals')
    rmSync(join(project, 'node_modules/@varve/bench'), { recursive: true })
    expect((await installedVarve('bench', '--help')).stdout).not.toContain('--rivals')
    const refused = installedVarve('bench')
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm install @varve/bench'),
    })
  })

  /** As `npm exec` runs it, without the second in which npm finds it. */
  const installedVarve = (...args: readonly string[]) => run(join(project, 'node_modules/.bin/varve'), args, project)

  /** Checks a consumer with the declarations of the packages, strictly, and writes its JavaScript. */
  const compile = async ({ file, source, module, moduleResolution, isOlder }: Consumer) => {
    writeFileSync(join(project, file), source)
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023'],
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      // Declarations of today name types that an older compiler does not know.
      skipLibCheck: isOlder === true,
      noEmitOnError: true,
      rootDir: '.',
      outDir: 'compiled',
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
    }
    const config = `tsconfig.${file}.json`
    writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: [file] }))
    const compiler = isOlder === true ? olderCompiler : join(root, 'node_modules/typescript/bin/tsc')
    return run(process.execPath, [compiler, '--project', config], project)
  }

  /** Puts a program and all packages that it imports into one file, beside none of theirs. */
  const bundle = async (program: string) => {
    const outfile = join(project, 'bundled', 'program.mjs')
    const format = { platform: 'node', format: 'esm', target: 'node20' } as const
    await build({ ...format, entryPoints: [program], bundle: true, outfile, external: [...unbundled] })
    return outfile
  }

  /** A folder of the project with the files of consumers, which finds the installed packages and tools. */
  const consumerIn = (...folders: readonly string[]) => {
    const place = join(project, folders[0] ?? '')
    for (const folder of folders) cpSync(join(root, 'test/consumers', folder), place, { recursive: true })
    return place
  }

  /** Runs a script inside the project with the path of a fresh store as its argument. */
  const runScript = async (name: string, script: string) => {
    const path = join(project, name)
    writeFileSync(path, script)
    return run(process.execPath, [path, join(scratch, `store-of-${name}`)], project)
  }
})

/** Tools are linked after the installation, and no part of what is installed. */
function linkTool(tool: string, project: string): void {
  const link = join(project, 'node_modules', tool)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(folderOf(tool), link, 'junction')
}

const isInstalled = (path: string): boolean => !lstatSync(path).isSymbolicLink()

/** The bytes of the modules that importing one of them loads, and the packages. Node's own modules do not count. */
function loadedBy(entry: string): { readonly bytes: number; readonly packages: readonly string[] } {
  const modules = new Map<string, number>()
  const packages = new Set<string>()
  const load = (path: string) => {
    if (modules.has(path)) return
    const text = readFileSync(path, 'utf8')
    modules.set(path, text.length)
    for (const [, name = ''] of text.matchAll(/^(?:import|export)\b[^;]*?["']([^"']+)["'];$/gm)) {
      if (name.startsWith('.')) load(join(dirname(path), name))
      else if (!isBuiltin(name)) packages.add(name)
    }
  }
  load(entry)
  return { bytes: [...modules.values()].reduce((sum, bytes) => sum + bytes, 0), packages: [...packages] }
}

/** The answers of a server that is ended after them. */
async function answersOf(command: readonly string[], cwd: string, paths: readonly string[]): Promise<number[]> {
  const server = spawn(process.execPath, command, { cwd, env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
      if (url === undefined) continue
      return await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status))
    }
    throw new Error('The server ended without an address.')
  } finally {
    server.kill()
    await ended
  }
}

function npm(cwd: string, args: readonly string[]) {
  return run('npm', args, cwd)
}

/** The environment without the variables that an enclosing `npm test` sets for *its* project. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|config_local_prefix|config_workspace)|NODE_OPTIONS|VITEST|INIT_CWD)/.test(name),
  ),
)

function run(command: string, args: readonly string[], cwd: string) {
  const shell = process.platform === 'win32'
  return promisify(execFile)(command, args, { cwd, env: environment, encoding: 'utf8', timeout: 4 * minutes, shell })
}
