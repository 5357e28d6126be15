export default {
  build: { ssr: 'app.mjs', outDir: 'out', target: 'node20' },
  ssr: {
    noExternal: true,
    external: ['classic-level', 'fs-native-extensions', 'libsql', 'lmdb', '@aws-sdk/client-s3'],
  },
}
