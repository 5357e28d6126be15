import { defineConfig } from 'vite'

/** Development: the server that answers what the page itself does not. */
const server = 'http://127.0.0.1:9000'

export default defineConfig({
  // Relative, so that the files work below any path of a proxy.
  base: './',
  build: {
    target: 'es2022',
    // The content security policy allows scripts, styles and fonts from files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '^/(?!(-/console|src|node_modules|@)).*': server } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
