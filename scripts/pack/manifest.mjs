/** The manifest of a package as it is published. */
import { bundledByName } from './packages.mjs'

/** @param {{ subpath: string, types: string }[]} types where the declarations of the entry points are */
export function publishedManifest(one, types, imported) {
  const { scripts: _, devDependencies: __, exports: ___, files: ____, ...rest } = one.manifest
  const typesOf = new Map(types.map((entry) => [entry.subpath, entry.types]))
  const entries = one.entries.map(({ subpath, module }) => [
    subpath,
    targets(`./dist/${module}`, `./${typesOf.get(subpath)}`),
  ])
  const others = Object.entries(one.manifest.exports).filter(([, target]) => typeof target === 'string')
  const subpaths = types.filter(({ subpath }) => subpath !== '.')
  return {
    ...rest,
    main: './dist/index.cjs',
    module: './dist/index.js',
    types: `./${typesOf.get('.')}.d.cts`,
    // Compilers that do not read `exports` find the types of the other entry points here.
    ...(subpaths.length > 0 && {
      typesVersions: {
        '*': Object.fromEntries(subpaths.map((entry) => [entry.subpath.slice(2), [`./${entry.types}.d.cts`]])),
      },
    }),
    exports: Object.fromEntries([...entries, ...others]),
    dependencies: dependenciesOf(one, imported),
  }
}

/**
 * `module-sync` gives a `require` of Node the ES module, so that a process has one copy of each class. What does not know
 * the condition, such as Jest, gets CommonJS.
 */
function targets(module, types) {
  const esm = { types: `${types}.d.ts`, default: `${module}.js` }
  return { import: esm, 'module-sync': esm, require: { types: `${types}.d.cts`, default: `${module}.cjs` } }
}

/** The dependencies of the package and of those that became part of it, as far as the bundles import them. */
function dependenciesOf(one, imported) {
  const inlined = one.inlines.map((name) => bundledByName.get(name).manifest)
  const declared = Object.assign({}, ...inlined.map(({ dependencies }) => dependencies), one.manifest.dependencies)
  const optional = { ...one.manifest.peerDependencies }
  for (const { peerDependencies = {} } of inlined) {
    for (const name of Object.keys(peerDependencies)) {
      if (optional[name] === undefined) throw new Error(`${one.name} must name the peer dependency ${name} too.`)
    }
  }
  const missing = [...imported].filter((name) => declared[name] === undefined && optional[name] === undefined)
  if (missing.length > 0) throw new Error(`${one.name} imports ${missing.join(', ')} without a dependency.`)
  const required = Object.entries(declared).filter(([name]) => imported.has(name))
  return Object.fromEntries(required.sort(([one], [other]) => one.localeCompare(other, 'en')))
}
