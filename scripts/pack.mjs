/**
 * Makes the tarballs that are published. Run `npm run build` before.
 *
 *     npm run pack -- DIR [--json]       the tarballs of all packages
 *     npm publish DIR/varve-0.1.0.tgz    publishes one
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, bundleModules, bundlePrograms } from './pack/bundle.mjs'
import { writeDeclarations } from './pack/declarations.mjs'
import { publishedManifest } from './pack/manifest.mjs'
import { built, bundled, bundledByName } from './pack/packages.mjs'

/** Writes the tarballs of all packages to `out`. @returns what `npm pack --json` says of each */
export async function packAll(out) {
  mkdirSync(out, { recursive: true })
  const staged = [
    ...(await Promise.all(bundled.map((one) => stage(one, folderFor(one, out))))),
    ...built.map((one) => stageBuilt(one, folderFor(one, out))),
  ]
  const packed = npmPack(staged, resolve(out))
  for (const folder of staged) rmSync(folder, { recursive: true })
  return packed
}

/** Lays a package out as it is published. */
async function stage(one, folder) {
  const imported = await bundle(one, join(folder, 'dist'))
  const types = writeDeclarations(one, folder)
  const packages = [...types.imported].filter((name) => !isBuiltin(name))
  writeManifest(folder, publishedManifest(one, types.entries, new Set([...imported, ...packages])))
  for (const name of ['README.md', 'LICENSE']) cpSync(join(one.home, name), join(folder, name))
  copyAlongside(one, folder)
  if (one.manifest.bin !== undefined) copyProgram(one, folder)
  return folder
}

function copyAlongside(one, folder) {
  for (const { from, to } of one.copies)
    cpSync(from, join(folder, 'dist', to), { recursive: true, filter: isPublished })
}

const isPublished = (path) => !/\.(map|tsbuildinfo)$/.test(path)

/** Lays out the commands of a package and what they need, as it is published. It must lie where its dependencies are found. */
export async function stageCommands(name, folder) {
  const one = bundledByName.get(name)
  await bundlePrograms(one, join(folder, 'dist'))
  copyAlongside(one, folder)
  copyProgram(one, folder)
}

/** Lays out the ES modules of a package. What lies in `folder` imports them by the name of the package. */
export async function stageModules(name, folder) {
  const one = bundledByName.get(name)
  await bundleModules(one, join(folder, 'dist'))
  const exports = Object.fromEntries(one.entries.map(({ subpath, module }) => [subpath, `./dist/${module}.js`]))
  writeManifest(folder, { name, type: 'module', exports })
}

/** The bundle of the command lies beside the others. */
function copyProgram(one, folder) {
  mkdirSync(join(folder, 'bin'))
  for (const path of Object.values(one.manifest.bin)) {
    const text = readFileSync(join(one.home, path), 'utf8')
    const moved = one.programs.reduce(
      (all, { from, to }) => all.replace(`../dist/${from}.js`, `../dist/${to}.js`),
      text,
    )
    writeFileSync(join(folder, path), moved, { mode: 0o755 })
  }
}

/** What is not bundled goes without maps: they would name sources that are not there. */
function stageBuilt(one, folder) {
  const { scripts: _, devDependencies: __, ...manifest } = one.manifest
  writeManifest(folder, { ...manifest, files: [...manifest.files, '!dist/**/*.map'] })
  for (const name of ['dist', 'README.md', 'LICENSE'])
    cpSync(join(one.home, name), join(folder, name), { recursive: true })
  return folder
}

function folderFor({ name }, out) {
  const folder = join(resolve(out), `${name.replace(/^@/, '').replace('/', '-')}.staged`)
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder)
  return folder
}

function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

function npmPack(folders, out) {
  const shell = process.platform === 'win32'
  const args = ['pack', '--json', '--pack-destination', out, ...folders]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: out, encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`)
  // npm 10 and 11 print a list, newer ones a record by package name.
  return Object.values(JSON.parse(stdout)).map(({ name, filename, unpackedSize, files }) => ({
    name,
    filename,
    unpackedSize,
    files,
  }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, form] = process.argv.slice(2)
  if (out === undefined) {
    console.error('Usage: npm run pack -- DIR [--json]')
    process.exitCode = 2
  } else {
    const packed = await packAll(out)
    if (form === '--json') console.log(JSON.stringify(packed))
    else for (const { filename } of packed) console.log(join(out, filename))
  }
}
