/** Bundles the JavaScript of a package: few files, which share what several entry points need. */
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundledByName } from './packages.mjs'

/**
 * Writes both forms of a package to `dir`. The programs are in the form of ES modules only.
 * @returns the names of the packages that the bundles import
 */
export async function bundle(one, dir) {
  const modules = await bundleModules(one, dir)
  const commonJs = await written(one, entriesOf(one), {
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Jest has no import() in CommonJS modules. All packages that are loaded late can be required.
    dynamicImportInCjs: false,
    exports: 'named',
  })
  return new Set([...modules, ...commonJs])
}

/** Writes the form of ES modules alone. */
export const bundleModules = (one, dir) => written(one, { ...entriesOf(one), ...programsOf(one) }, asModules(dir))

/** Writes the programs of a package alone, which is enough to run them. */
export async function bundlePrograms(one, dir) {
  await written(one, programsOf(one), asModules(dir, [ofPrograms]))
}

const entriesOf = (one) => Object.fromEntries(one.entries.map(({ module }) => [module, join(one.dist, `${module}.js`)]))

const programsOf = (one) => Object.fromEntries(one.programs.map(({ from, to }) => [to, join(one.dist, `${from}.js`)]))

/**
 * What nearly every part needs, in one file: otherwise each set of parts that shares a few of these has a file of its own. Node opens the
 * files of a program at once, and a process may have few handles.
 */
const leaves = {
  name: 'leaves',
  test: /[\\/]core[\\/]dist[\\/](?:base|bytes|codec|schema|naming|settings)[\\/]|[\\/]adapters[\\/]dist[\\/](?:files|system)[\\/]/,
}

/** A program needs more of it, and its size counts less. */
const ofPrograms = {
  name: 'leaves',
  test: /[\\/]core[\\/]dist[\\/](?:base|bytes|codec|schema|naming|settings|events|moments|views|content|encryption|replication|repair|healing|filling|sharing)[\\/]|[\\/]adapters[\\/]dist[\\/](?:files|system)[\\/]/,
}

const asModules = (dir, groups = [leaves]) => ({
  dir,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups },
})

async function written(one, input, output) {
  const building = await rolldown({
    input,
    platform: 'node',
    external: (id) => isExternal(one, id),
    plugins: [inlining(one)],
    // A slow machine is no fault of the package.
    checks: { bundlerTimings: false },
    // A published package must not depend on how a warning is read.
    onwarn: (warning) => {
      throw new Error(`${one.name}: ${warning.message}`)
    },
  })
  const { output: files } = await building.write({
    ...output,
    sourcemap: false,
    comments: { legal: true, annotation: true, jsdoc: false },
  })
  await building.close()
  for (const file of files) checkPaths(one, file)
  const own = new Set(files.map(({ fileName }) => fileName))
  const imported = files.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  return imported.filter((id) => !own.has(id)).flatMap(packageNameOf)
}

const isPath = (id) => /^[./]|^[A-Za-z]:[\\/]/.test(id)

function isExternal(one, id) {
  return !isPath(id) && !one.inlines.some((name) => id === name || id.startsWith(`${name}/`))
}

/** Resolves the entry points of the packages that become part of this one. */
function inlining({ inlines }) {
  return {
    name: 'inlined-packages',
    resolveId(id) {
      const found = inlines
        .map((name) => bundledByName.get(name))
        .find(({ name }) => id === name || id.startsWith(`${name}/`))
      if (found === undefined) return undefined
      const subpath = `.${id.slice(found.name.length)}`
      const { module } = found.entries.find((entry) => entry.subpath === subpath)
      return { id: join(found.dist, `${module}.js`), moduleSideEffects: false }
    },
  }
}

/** All files of a bundle lie in one folder, so these are right. Another path would name what lies elsewhere now. */
const knownPaths = [
  /new URL\("worker-main\.js", import\.meta\.url\)/g,
  /dirname\(fileURLToPath\(import\.meta\.url\)\), "console"/g,
  /createRequire\(import\.meta\.url\)/g,
]

/** As it would be in an ES module. */
const asModule = (code) =>
  code
    .replaceAll('require("url").pathToFileURL(__filename).href', 'import.meta.url')
    .replaceAll(/\(0, \w+\.(\w+)\)\(/g, '$1(')

function checkPaths({ name }, { fileName, code }) {
  if (code === undefined) return
  const rest = knownPaths.reduce((text, known) => text.replaceAll(known, ''), asModule(code))
  const at = rest.search(/import\.meta\.(url|dirname|filename)|__dirname|__filename/)
  if (at === -1) return
  throw new Error(`${name}: ${fileName} computes a path from its own:\n${rest.slice(Math.max(0, at - 200), at + 100)}`)
}

function packageNameOf(id) {
  if (isBuiltin(id)) return []
  return [id.split('/', id.startsWith('@') ? 2 : 1).join('/')]
}
