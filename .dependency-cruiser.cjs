/**
 * The direction of imports: `http → core ← adapters`; the rooms meet only in `varve`.
 * Its parser reads no JSX: `.oxlintrc.json` keeps the direction of imports of the console, and the tidy test its folders.
 * Needs `@swc/core` beside it: TypeScript 7 has no parser API, and without one nothing is checked and nothing is red.
 * `test/tidy/import-direction.test.ts` plants violations to prove that these rules bite.
 */

const testFile = '\\.(test|test-d|fixture)\\.ts$'

/** A package by folder (workspace link followed) and by bare name (link not there, or nothing built yet). */
const rooms = (...names) =>
  names.flatMap((name) => {
    const bare = name === 'varve' ? 'varve' : `@varve/${name}`
    return [`^packages/${name}/`, `^(node_modules/)?${bare}(/|$)`]
  })

const npm = (...names) => names.map((name) => `^(node_modules/)?${name}(/|$)`)

/** The servers of each package, as its `exports` lists them. */
const servers = [
  '^packages/[^/]+/(src|dist)/index\\.(ts|js|d\\.ts)$',
  '^packages/core/(src|dist)/(contracts|model|ports)/index\\.(ts|js|d\\.ts)$',
  '^packages/adapters/(src|dist)/(postgres|s3)\\.(ts|js|d\\.ts)$',
  '^packages/varve/(src|dist)/(http|metrics|opentelemetry|testing)\\.(ts|js|d\\.ts)$',
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-has-no-io',
      comment:
        'Core is the rules and nothing else: it decides the same way in Node, in a browser and in a simulation, ' +
        'so whatever touches the world comes in through a port.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: testFile },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-stands-alone',
      comment:
        'Core imports itself, immer and eventemitter3, which touch nothing of the world. An adapter, the HTTP server or a library in here would reach everyone who embeds the rules.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: testFile },
      to: { pathNot: ['^packages/core/src/', ...npm('eventemitter3', 'immer')], dependencyTypesNot: ['core'] },
    },
    {
      name: 'tests-stay-home',
      comment: 'A test beside the code may use any tool, but no package that its own package may not know.',
      severity: 'error',
      from: { path: `^packages/(core|adapters|http)/src/.*${testFile}` },
      to: { path: rooms('adapters', 'http', 'varve'), pathNot: '^packages/$1/' },
    },
    {
      name: 'adapters-know-core-only',
      comment: 'An adapter fulfils a port of core; it must not learn who is asking, or it could not be swapped.',
      severity: 'error',
      from: { path: '^packages/adapters/src/', pathNot: testFile },
      to: {
        pathNot: [
          '^packages/adapters/src/',
          ...rooms('core'),
          ...npm(
            'level',
            'classic-level',
            'abstract-level',
            'fs-native-extensions',
            'hash-wasm',
            'libsql',
            'lmdb',
            'pg',
            '@aws-sdk/client-s3',
          ),
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'http-knows-core-only',
      comment: 'The server speaks S3 to any store of core; which disk lies below is not its business.',
      severity: 'error',
      from: { path: '^packages/http/src/', pathNot: testFile },
      to: {
        pathNot: ['^packages/http/src/', ...rooms('core'), ...npm('fast-xml-parser')],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'varve-composes-only-packages',
      comment: 'The composition root may know every package, but nothing that is not shipped with it.',
      severity: 'error',
      from: { path: '^packages/varve/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'store-knows-no-bench',
      comment:
        'The bench holds a store as its users do, and its command is loaded when it is called: an app that embeds a store does not carry it along.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: ['^bench/', '^(node_modules/)?@varve/bench(/|$)'] },
    },
    {
      name: 'no-deep-imports',
      comment:
        'A package is entered through the servers its `exports` list, so that the rest can change without asking.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|test|bench)/' },
      to: { path: '^packages/[^/]+/(src|dist)/', pathNot: ['^$1/', ...servers] },
    },
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one concept cut in two, and their order of loading becomes luck.',
      severity: 'error',
      from: { path: '^(packages|test|bench)/' },
      to: { circular: true },
    },
    {
      name: 'no-tests-in-sources',
      comment: 'What ships must not lean on what only runs here.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: testFile },
      to: { path: testFile },
    },
    {
      name: 'no-unresolved',
      comment: 'An import that leads nowhere is not checked by any other rule.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: ['(^|/)node_modules/', '(^|/)dist/'] },
    exclude: { path: ['\\.d\\.ts\\.map$', '\\.tsx$'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
    },
  },
}
