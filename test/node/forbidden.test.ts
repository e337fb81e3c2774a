import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { CompileBlockedError } from '../../src/index.js';

describe('where WebAssembly is forbidden', () => {
  it('as by a policy, the error carries what the engine said', () => {
    const context = vm.createContext({}, { codeGeneration: { strings: true, wasm: false } });
    const cause: unknown = vm.runInContext(
      'try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) } catch (error) { error }',
      context,
    );
    const error = new CompileBlockedError(cause);
    expect(error).toMatchObject({ name: 'CompileBlockedError', code: 'ERR_COMPILE_BLOCKED', cause });
    expect(error.message).toMatch(/^WebAssembly is not available here: .*disallowed/);
  });
});
