import { build } from 'esbuild';

/** What a bundler makes of a program that imports the package. @param external packages that it leaves out */
export async function bundle(program: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: '.' },
    bundle: true,
    minify: true,
    write: false,
    logLevel: 'error',
    format: 'esm',
    platform: 'browser',
    external,
  });
  return outputFiles[0]?.text ?? '';
}
