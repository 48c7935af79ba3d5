// Runs ONNX models: node onnx.js PACKAGE FOLDER..., where PACKAGE is the folder of
// onnxruntime-node. Each FOLDER has model.onnx and planes.f32, the numbers of the input, whose
// shape is in shape.json. The numbers of each output are written to NAME.f32 there.
const fs = require('fs'), path = require('path');

async function main() {
  const [pack, ...folders] = process.argv.slice(2);
  const ort = require(path.resolve(pack));
  for (const folder of folders) {
    const session = await ort.InferenceSession.create(path.join(folder, 'model.onnx'), {intraOpNumThreads: 1});
    const bytes = fs.readFileSync(path.join(folder, 'planes.f32'));
    const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const shape = JSON.parse(fs.readFileSync(path.join(folder, 'shape.json')));
    const outputs = await session.run({planes: new ort.Tensor('float32', numbers, shape)});
    for (const name of session.outputNames) {
      const {data, dims} = outputs[name];
      fs.writeFileSync(path.join(folder, name + '.f32'), Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      console.log(folder, name, dims.join('x'));
    }
  }
}
main().catch(error => { console.error(error); process.exit(1); });
