// What is the same for all threads of a kernel, which copies `params` here before anything else. Devices that read memory
// thread by thread read a uniform once for all of them only outside of branches and loops.
//#include lib/grains.wgsl

var<private> scene: StepParams;
